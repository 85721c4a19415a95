import { ABOUT, FLOORS, WAYS } from './floors.js'

const WIDTH = 1080
const ROW = 62
const GAP = 8
const LEFT = 44
const TOP = 12
const LEGEND = 40

/** Follows the reader's colours: GitHub and browsers show the file as an image. */
const STYLE = `
text { font: 12px system-ui, sans-serif; fill: #24292f }
.name { font: 600 13px ui-monospace, monospace }
.quiet { fill: #57606a }
.floor { fill: #f6f8fa }
.room { fill: #ffffff; stroke: #d0d7de }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 }
  .quiet { fill: #9198a1 }
  .floor { fill: #161b22 }
  .room { fill: #0d1117; stroke: #3d444d }
}`

/** The floors of the service as a picture, the highest on top, with the ways that things take. */
export function drawFloors(): string {
  const height = TOP + FLOORS.length * (ROW + GAP) + LEGEND
  const rows = FLOORS.map((rooms, index) => {
    const y = TOP + (FLOORS.length - 1 - index) * (ROW + GAP)
    return drawFloor(index, y, rooms)
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img">
<title>The floors of src/: a file imports its own floor or lower</title>
<style>${STYLE}
</style>
${[...rows.toReversed(), drawLegend(height - LEGEND)].join('\n')}
</svg>
`
}

function drawFloor(index: number, y: number, rooms: readonly string[]): string {
  const shown = rooms.filter((room) => ABOUT[room] !== undefined)
  const width = (WIDTH - LEFT - GAP * (shown.length + 1)) / shown.length
  const boxes = shown.map((room, place) => drawRoom(room, LEFT + GAP + place * (width + GAP), y, width))
  return `<rect class="floor" x="0" y="${y}" width="${WIDTH}" height="${ROW}" rx="8"/>
<text class="quiet" x="14" y="${y + ROW / 2 + 4}">F${index}</text>
${boxes.join('\n')}`
}

function drawRoom(room: string, x: number, y: number, width: number): string {
  const dots = WAYS.filter(({ rooms }) => rooms.includes(room)).map(
    ({ colour }, index) =>
      `<circle cx="${round(x + width - 14 - index * 14)}" cy="${y + 22}" r="5" fill="${colour}"/>`,
  )
  return `<rect class="room" x="${round(x)}" y="${y + 6}" width="${round(width)}" height="${ROW - 12}" rx="6"/>
<text class="name" x="${round(x + 12)}" y="${y + 26}">${room}</text>
<text class="quiet" x="${round(x + 12)}" y="${y + 44}">${ABOUT[room]}</text>
${dots.join('')}`
}

function drawLegend(y: number): string {
  const step = (WIDTH - LEFT) / WAYS.length
  return WAYS.map(
    ({ name, colour }, index) =>
      `<circle cx="${round(LEFT + 14 + index * step)}" cy="${y + 20}" r="5" fill="${colour}"/>
<text x="${round(LEFT + 26 + index * step)}" y="${y + 24}">${name}</text>`,
  ).join('\n')
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}

/** A record that counts how often it is gone through: whoever asks it for its names, in whatever way, asks this. */
export interface WatchedRecord {
  readonly value: Readonly<Record<string, unknown>>
  readonly walks: number
}

export function watchedRecord(members: Readonly<Record<string, unknown>>): WatchedRecord {
  let walks = 0
  const value = new Proxy(members, {
    ownKeys(target) {
      walks += 1
      return Reflect.ownKeys(target)
    },
  })
  return {
    value,
    get walks() {
      return walks
    },
  }
}

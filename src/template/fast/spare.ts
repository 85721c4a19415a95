// Gain: `bench:template`, "few-shot" and "components" to a string: making a run costs as much as a short prompt.
// On in one line: `CompiledTemplate.#spare`. A render with options makes a run of its own: its limits, its clock and its
// signal belong to the run.

/** Keeps one object that is made at a cost and can be used again, for the next who needs one. */
export class Spare<T> {
  #kept: T | null = null
  readonly #make: () => T

  constructor(make: () => T) {
    this.#make = make
  }

  /** The one that is kept, or a new one: nobody else has it until it is given back. */
  take(): T {
    const kept = this.#kept
    if (kept === null) return this.#make()
    this.#kept = null
    return kept
  }

  /** Keeps what is ready to be used again. */
  giveBack(used: T): void {
    this.#kept = used
  }
}

/** Far more than a client writes in earnest; the names are kept in a header and in the usage record. */
const FIELDS_MAX = 32;
const NAME_MAX = 64;

/** Each name once, short, and of visible ASCII: clients choose the names, and not all would pass in a header. */
export function formatDroppedFields(names: readonly string[]): string[] {
  const unique = new Set<string>();
  for (const name of names) {
    if (unique.size === FIELDS_MAX) break;
    unique.add(name.slice(0, NAME_MAX).replaceAll(/[^\x21-\x7e]/g, '?'));
  }
  return [...unique];
}

/** Collects such names while an answer is read, which may go on naming new ones. */
export class DroppedFieldNames {
  readonly #names = new Set<string>();

  get list(): readonly string[] {
    return formatDroppedFields([...this.#names]);
  }

  add(name: string): void {
    if (this.#names.size < FIELDS_MAX) this.#names.add(name.slice(0, NAME_MAX));
  }
}

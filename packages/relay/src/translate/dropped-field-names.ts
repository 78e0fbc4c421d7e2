/** Names of the fields that a translation drops, as they are reported to the client. */
import { shortCopy } from '../json/json.ts';

/** Maximum reported names, which go into a header and the usage record. Real clients need far fewer. */
const FIELDS_MAX = 32;
const NAME_MAX = 64;

/** Returns unique, short names of visible ASCII: clients choose the names, which a header might not accept. */
export function formatDroppedFields(names: readonly string[]): string[] {
  const unique = new Set<string>();
  for (const name of names) {
    if (unique.size === FIELDS_MAX) break;
    unique.add(name.slice(0, NAME_MAX).replaceAll(/[^\x21-\x7e]/g, '?'));
  }
  return [...unique];
}

/** Collector of such names during a response, which may add many. */
export class DroppedFieldNames {
  readonly #names = new Set<string>();

  get list(): readonly string[] {
    return formatDroppedFields([...this.#names]);
  }

  add(name: string): void {
    if (this.#names.size < FIELDS_MAX) this.#names.add(shortCopy(name, NAME_MAX));
  }
}

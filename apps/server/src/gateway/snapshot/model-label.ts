import type { Snapshot } from './snapshot.ts';

const OTHER = 'other';

/**
 * How a model is called where names must be few: by its own name where a channel offers it by that, by the `prefix*`
 * where one offers it by that, else `other`, whatever a client has written.
 */
export function createModelLabel(snapshot: Snapshot): (model: string) => string {
  let version = -1;
  let named = new Set<string>();
  /** Longest first. */
  let beginnings: string[] = [];
  const read = (): void => {
    version = snapshot.channelsVersion;
    const all = new Set(snapshot.channels().flatMap(({ models }) => models));
    named = new Set([...all].filter((model) => !model.endsWith('*')));
    beginnings = [...all]
      .filter((model) => model.endsWith('*'))
      .map((model) => model.slice(0, -1))
      .toSorted((a, b) => b.length - a.length);
  };
  return (model) => {
    if (version !== snapshot.channelsVersion) read();
    if (named.has(model)) return model;
    const beginning = beginnings.find((one) => model.startsWith(one));
    return beginning === undefined ? OTHER : `${beginning}*`;
  };
}

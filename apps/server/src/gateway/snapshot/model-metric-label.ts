import type { Snapshot } from './snapshot.ts';

const OTHER = 'other';

/**
 * Returns a function that maps a model to a metric label of bounded cardinality: its own name if a channel offers it,
 * the `prefix*` if a channel offers that, else `other`.
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

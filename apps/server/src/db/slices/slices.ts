/**
 * SQL functions over packed calls, for the reading connection: `pack_calls(columns of a usage record)` makes a packed
 * hour of the calls that it is given, `rank_slices(question, rows, hour, packed)` and `line_slices(question, hour,
 * packed)` answer a question as JSON, `models_of_slices(packed)` lists the models in them. So the calls of months are
 * added up in the reading thread, and neither they nor their packed hours come to the one that relays.
 */
import type { DatabaseSync, SQLInputValue, SQLOutputValue } from 'node:sqlite';
import { CallPacker, HourReader } from './pack-calls.ts';
import { type SliceQuestion, SliceSummer } from './sum-slices.ts';

export type { Lines, Ranking, SliceQuestion, SummedRow } from './sum-slices.ts';

export function addSliceFunctions(connection: DatabaseSync): void {
  aggregate(connection, 'pack_calls', {
    start: () => new CallPacker(),
    step: (packer, [at, type, user, key, channel, model, group, isStream, ...numbers]) => {
      const [quota, cost = null, prompt, completion, cached, duration, firstByte] = numbers;
      packer.add({
        createdAt: Number(at),
        isError: type === 'error',
        userId: Number(user),
        keyId: Number(key),
        channelId: Number(channel),
        model: String(model),
        group: String(group),
        isStream: Number(isStream),
        quota: amount(quota),
        cost: cost === null ? null : amount(cost),
        promptTokens: amount(prompt),
        completionTokens: amount(completion),
        cachedTokens: amount(cached),
        durationMs: amount(duration),
        firstByteMs: amount(firstByte),
      });
    },
    result: (packer) => packer.pack(),
  });
  aggregate(connection, 'rank_slices', {
    start: (question, rows) => ({ summer: summerFor(question), rows: Number(rows) }),
    step: ({ summer }, [_question, _rows, hour, packed]) => addHour(summer, hour, packed),
    result: ({ summer, rows }) => JSON.stringify(summer.ranking(rows)),
  });
  aggregate(connection, 'line_slices', {
    start: (question) => summerFor(question),
    step: (summer, [_question, hour, packed]) => addHour(summer, hour, packed),
    result: (summer) => JSON.stringify(summer.lines()),
  });
  aggregate(connection, 'models_of_slices', {
    start: () => ({ hour: new HourReader(), models: new Set<string>() }),
    step: ({ hour, models }, [packed]) => {
      if (!(packed instanceof Uint8Array)) return;
      hour.open(packed);
      for (const model of hour.models) models.add(model);
    },
    result: ({ models }) => JSON.stringify([...models]),
  });
}

/** Nothing is below zero; one record that says so must not keep its whole hour from being packed. */
const amount = (value: SQLOutputValue | undefined): number => Math.max(0, Math.trunc(Number(value)));

interface Aggregate<State> {
  /** With the arguments of the first row. */
  start: (...args: SQLOutputValue[]) => State;
  step: (state: State, args: readonly SQLOutputValue[]) => void;
  result: (state: State) => SQLInputValue;
}

/** Null when there are no rows. SQLite hands a number from row to row; the states are kept beside it. */
function aggregate<State>(
  connection: DatabaseSync,
  name: string,
  { start, step, result }: Aggregate<State>,
): void {
  const states = new Map<number, State>();
  let last = 0;
  connection.aggregate<number>(name, {
    varargs: true,
    start: 0,
    step: (id, ...args) => {
      const known = states.get(id);
      if (known !== undefined) {
        step(known, args);
        return id;
      }
      last += 1;
      const state = start(...args);
      step(state, args);
      states.set(last, state);
      return last;
    },
    result: (id) => {
      const state = states.get(id);
      states.delete(id);
      return state === undefined ? null : result(state);
    },
  });
}

function summerFor(question: SQLOutputValue | undefined): SliceSummer {
  return new SliceSummer(JSON.parse(String(question)) as SliceQuestion);
}

function addHour(
  summer: SliceSummer,
  hour: SQLOutputValue | undefined,
  packed: SQLOutputValue | undefined,
): void {
  if (packed instanceof Uint8Array) summer.add(Number(hour), packed);
}

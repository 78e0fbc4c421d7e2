/**
 * Calls of one hour as one packed text of bytes: those alike in everything that analytics asks about are one slice of it.
 * A site with a million calls has almost as many slices, so what counts is how fast they are read: packed, a million is
 * read in a fifth of a second, as rows of a table in several.
 */
import { LATENCY_CLASSES, latencyClass } from './latency-classes.ts';
import { SliceReader, SliceWriter } from './slice-bytes.ts';

export const HOUR = 3_600;
/** Time zones differ from UTC by whole quarters of an hour, so that their hours and days consist of quarters. */
export const QUARTER = 900;

/** What is kept of a usage record. */
export interface PackedCall {
  /** UTC seconds. */
  createdAt: number;
  isError: boolean;
  userId: number;
  /** 0: none. */
  keyId: number;
  /** 0: none. */
  channelId: number;
  model: string;
  group: string;
  isStream: number;
  quota: number;
  cost: number | null;
  promptTokens: number;
  completionTokens: number;
  cachedTokens: number;
  durationMs: number;
  /** 0: none came. */
  firstByteMs: number;
}

/** Calls that are alike. Everything but `errors` is of those that were answered. */
export interface Slice {
  /** Of the hour: 0 to 3. */
  quarter: number;
  userId: number;
  /** 0: none. */
  keyId: number;
  /** 0: none. */
  channelId: number;
  /** Places in the lists of the hour. */
  model: number;
  group: number;
  isStream: number;
  requests: number;
  errors: number;
  charged: number;
  /** Of the calls whose cost is known: how many, what they cost, what was charged for them. */
  costedRequests: number;
  cost: number;
  costed: number;
  promptTokens: number;
  completionTokens: number;
  cachedTokens: number;
  /** Latency classes and how many calls were in each, in turn. */
  requestTime: number[];
  firstByteTime: number[];
}

export interface PackedHour {
  models: readonly string[];
  groups: readonly string[];
  /** Calls back with each slice, always the same object, until it has been through all. */
  read(each: (slice: Slice) => void): void;
}

export class CallPacker {
  readonly #slices = new Map<string, Slice>();
  readonly #models = new Map<string, number>();
  readonly #groups = new Map<string, number>();

  add(call: PackedCall): void {
    const { createdAt, isError, userId, keyId, channelId, isStream } = call;
    const slice = this.#sliceFor({
      quarter: Math.floor((createdAt % HOUR) / QUARTER),
      userId,
      keyId,
      channelId,
      model: placeOf(this.#models, call.model),
      group: placeOf(this.#groups, call.group),
      isStream,
    });
    if (isError) slice.errors += 1;
    else addAnswered(slice, call);
  }

  pack(): Uint8Array {
    const writer = new SliceWriter();
    for (const list of [this.#models, this.#groups]) {
      writer.number(list.size);
      for (const text of list.keys()) writer.text(text);
    }
    writer.number(this.#slices.size);
    for (const slice of this.#slices.values()) {
      for (const field of numberFields) writer.number(slice[field]);
      for (const field of timeFields) {
        writer.number(slice[field].length);
        for (const value of slice[field]) writer.number(value);
      }
    }
    return writer.bytes();
  }

  #sliceFor(alike: Pick<Slice, (typeof alikeFields)[number]>): Slice {
    const name = alikeFields.map((field) => alike[field]).join(' ');
    const known = this.#slices.get(name);
    if (known !== undefined) return known;
    const slice = { ...noSlice(), ...alike };
    this.#slices.set(name, slice);
    return slice;
  }
}

export function unpackHour(bytes: Uint8Array): PackedHour {
  const reader = new SliceReader(bytes);
  const list = (): string[] => Array.from({ length: reader.number() }, () => reader.text());
  const models = list();
  const groups = list();
  return {
    models,
    groups,
    read(each) {
      const slice = noSlice();
      for (let left = reader.number(); left > 0; left -= 1) {
        readSlice(reader, slice);
        each(slice);
      }
    },
  };
}

const alikeFields = ['quarter', 'userId', 'keyId', 'channelId', 'model', 'group', 'isStream'] as const;
const numberFields = [
  ...alikeFields,
  'requests',
  'errors',
  'charged',
  'costedRequests',
  'cost',
  'costed',
  'promptTokens',
  'completionTokens',
  'cachedTokens',
] as const;
const timeFields = ['requestTime', 'firstByteTime'] as const;

/** Written out because it runs for each of a million. In the order of `numberFields` and `timeFields`. */
function readSlice(reader: SliceReader, slice: Slice): void {
  slice.quarter = reader.number();
  slice.userId = reader.number();
  slice.keyId = reader.number();
  slice.channelId = reader.number();
  slice.model = reader.number();
  slice.group = reader.number();
  slice.isStream = reader.number();
  slice.requests = reader.number();
  slice.errors = reader.number();
  slice.charged = reader.number();
  slice.costedRequests = reader.number();
  slice.cost = reader.number();
  slice.costed = reader.number();
  slice.promptTokens = reader.number();
  slice.completionTokens = reader.number();
  slice.cachedTokens = reader.number();
  readList(reader, slice.requestTime);
  readList(reader, slice.firstByteTime);
}

function readList(reader: SliceReader, list: number[]): void {
  const length = reader.number();
  list.length = length;
  for (let at = 0; at < length; at += 1) list[at] = reader.number();
}

function addAnswered(slice: Slice, call: PackedCall): void {
  slice.requests += 1;
  slice.charged += call.quota;
  if (call.cost !== null) {
    slice.costedRequests += 1;
    slice.cost += call.cost;
    slice.costed += call.quota;
  }
  slice.promptTokens += call.promptTokens;
  slice.completionTokens += call.completionTokens;
  slice.cachedTokens += call.cachedTokens;
  count(slice.requestTime, call.durationMs);
  if (call.firstByteMs > 0) count(slice.firstByteTime, call.firstByteMs);
}

function count(list: number[], ms: number): void {
  const wanted = latencyClass(ms);
  for (let at = 0; at < list.length; at += 2) {
    if (list[at] !== wanted) continue;
    list[at + 1] = (list[at + 1] ?? 0) + 1;
    return;
  }
  list.push(wanted, 1);
}

function placeOf(places: Map<string, number>, text: string): number {
  const known = places.get(text);
  if (known !== undefined) return known;
  places.set(text, places.size);
  return places.size - 1;
}

function noSlice(): Slice {
  return {
    quarter: 0,
    userId: 0,
    keyId: 0,
    channelId: 0,
    model: 0,
    group: 0,
    isStream: 0,
    requests: 0,
    errors: 0,
    charged: 0,
    costedRequests: 0,
    cost: 0,
    costed: 0,
    promptTokens: 0,
    completionTokens: 0,
    cachedTokens: 0,
    requestTime: [],
    firstByteTime: [],
  };
}

/** Adds the counts of a slice to those of a sum. */
export function addTimes(sum: Uint32Array, list: readonly number[]): void {
  for (let at = 0; at < list.length; at += 2) {
    const latency = Math.min(LATENCY_CLASSES - 1, list[at] ?? 0);
    sum[latency] = (sum[latency] ?? 0) + (list[at + 1] ?? 0);
  }
}

/** Work that a vendor takes an order for and does later: films, drawings, music. */

import type { JsonObject } from '../json/json.ts';
import type { UpstreamFormatId } from './format-id.ts';
import type { Usage } from './usage.ts';

export type TaskStatus = 'queued' | 'running' | 'succeeded' | 'failed';

export interface Work {
  kind: 'video' | 'image' | 'audio' | 'text';
  /** An address, or a path below the account's base URL, which takes its credentials. */
  at?: string;
  text?: string;
  title?: string;
  coverUrl?: string;
  /** How long it lasts. */
  seconds?: number;
}

/** What a vendor says of an order. */
export interface TaskNews {
  /** The vendor's, with what it takes to ask about it. */
  id: string;
  status: TaskStatus;
  /** Percent; absent where the vendor tells none. */
  progress?: number;
  works: readonly Work[];
  /** Of one that failed: the vendor's words. */
  failure?: string;
  /** What it came to, where that may differ from what was ordered. */
  usage?: Partial<Usage>;
  /** In the vendor's own words. */
  said: JsonObject;
}

/** What a vendor has taken on, and in which dialect it is asked about it. */
export interface Order extends TaskNews {
  format: UpstreamFormatId;
}

/** How a vendor takes orders and is asked about them. */
export interface UpstreamOrders {
  /**
   * Reads the answer to an order.
   * @param path to which the order went
   * @returns undefined when the answer names no task
   * @throws UpstreamError when the dialect knows why the order was refused
   */
  taken(answer: JsonObject, path: string): TaskNews | undefined;
  /** How many one question may be about. */
  together: number;
  /** @param action of the tasks; one question is about tasks of one action */
  question(ids: readonly string[], action: string): Question;
  /** Those of whom the answer speaks. @param ids those of the question */
  read(answer: unknown, ids: readonly string[]): readonly TaskNews[];
  /** Seconds after which nothing comes of it any more. */
  lastsSeconds: number;
  /**
   * What success without a work is: paid, such as words about a picture; free, such as a closed window; or undefined, when
   * the work may still come. Absent: the work may still come.
   * @param before what the vendor said last
   */
  withoutWorks?(action: string, before: JsonObject): 'paid' | 'free' | undefined;
  /** The field of what it says that holds texts which its model wrote. */
  written?: string;
}

export interface Question {
  /** Below the base URL. */
  path: string;
  /** Absent: a GET. */
  body?: JsonObject;
}

/** A work as its owner may see it. */
export interface ShownWork extends Work {
  /** Where its owner gets it without a key; absent: from where the dialect has it. */
  address?: string | undefined;
}

/** A task as its owner may see it. Times are UTC seconds. */
export interface TaskView {
  /** Ours. */
  id: string;
  originId: string | undefined;
  action: string;
  model: string;
  status: TaskStatus;
  progress: number;
  prompt: string;
  request: JsonObject;
  works: readonly ShownWork[];
  failure: string;
  createdAt: number;
  startedAt: number | undefined;
  endedAt: number | undefined;
  /** In the vendor's own words, where it speaks the client's dialect. */
  said: JsonObject | undefined;
  /** Of this gateway, without a slash at its end. */
  site: string;
}

/** How clients of a dialect are told of what they ordered. */
export interface ClientTasks {
  /** What the ids begin with that clients know. */
  idPrefix: string;
  promptOf(body: JsonObject): string;
  /** To one who has just ordered. */
  ordered(task: TaskView): JsonObject;
  /** To one who asks. */
  shown(task: TaskView): JsonObject;
  /** Where a client wants to be called of each change; undefined: nowhere. */
  callbackOf?(body: JsonObject): string | undefined;
  /** What it is called with; what it would be shown when absent. */
  told?(task: TaskView): JsonObject;
}

/** The task that an order goes on from, as its vendor knows it. */
export interface Origin {
  upstreamId: string;
  model: string;
  /** What was asked for then. */
  request: JsonObject;
  /** What the vendor said of it last. */
  said: JsonObject;
}

/** What films are asked for by, whatever the vendor calls it. */
export interface VideoAsked {
  prompt: string;
  seconds: number;
  /** Pixels. */
  size?: { width: number; height: number } | undefined;
  /** Base64 or an address: what it begins with. */
  image?: { base64: string } | { url: string } | undefined;
  more: JsonObject;
}

/** What a vendor is sent for a film, and what it makes of that. */
export interface FilmOrder {
  body: Record<string, unknown>;
  usage: Usage;
}

/** A picture as clients name it: its address, or its bytes as a data URL or as base64. */
export function pictureIn(image: string): NonNullable<VideoAsked['image']> {
  return /^https?:/.test(image) ? { url: image } : { base64: image.replace(/^data:[^,]*,/, '') };
}

/** Percent as a number, whatever a vendor writes: `37%`, `37`, 37. */
export function percentOf(value: unknown): number | undefined {
  const number = typeof value === 'string' ? Number.parseFloat(value) : value;
  if (typeof number !== 'number' || !Number.isFinite(number)) return undefined;
  return Math.min(100, Math.max(0, Math.floor(number)));
}

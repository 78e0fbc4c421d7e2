/** Work that a vendor takes an order for and does later: films, drawings, music. */

import type { JsonObject } from '../json/json.ts';
import type { UpstreamDialectId } from './dialect-id.ts';
import type { Usage } from './usage.ts';

export type TaskStatus = 'queued' | 'running' | 'succeeded' | 'failed';

export interface TaskArtifact {
  kind: 'video' | 'image' | 'audio' | 'text';
  /** An address, or a path below the account's base URL, which takes its credentials. */
  at?: string;
  text?: string;
  title?: string;
  coverUrl?: string;
  /** Length in seconds. */
  seconds?: number;
}

/** Status update from a vendor about a task. */
export interface TaskUpdate {
  /** The vendor's, with what it takes to ask about it. */
  id: string;
  status: TaskStatus;
  /** Percent; absent where the vendor tells none. */
  progress?: number;
  works: readonly TaskArtifact[];
  /** The vendor's error text of a failed task. */
  failure?: string;
  /** Actual usage, if it may differ from the requested one. */
  usage?: Partial<Usage>;
  /** The vendor's response, unchanged. */
  said: JsonObject;
}

/** Task that a vendor has accepted, with the dialect for polling it. */
export interface AcceptedTask extends TaskUpdate {
  format: UpstreamDialectId;
}

/** Interface for submitting tasks to a vendor and polling them. */
export interface UpstreamTasks {
  /**
   * Reads the answer to an order.
   * @param path to which the order went
   * @returns undefined when the answer names no task
   * @throws UpstreamError when the dialect knows why the order was refused
   */
  readSubmission(answer: JsonObject, path: string): TaskUpdate | undefined;
  /** Maximum number of tasks in one poll. */
  tasksPerPoll: number;
  /** @param action of the tasks; one question is about tasks of one action */
  buildPoll(ids: readonly string[], action: string): PollRequest;
  /** Those of whom the answer speaks. @param ids those of the question */
  readPoll(answer: unknown, ids: readonly string[]): readonly TaskUpdate[];
  /** Seconds after which nothing comes of it any more. */
  expirySeconds: number;
  /**
   * Returns how a successful task without an artifact is charged: paid, such as a description of an image; free, such
   * as a closed modal task; or undefined if the artifact may still come. If absent, the artifact may still come.
   * @param before the vendor's previous status of the task
   */
  chargeWithoutArtifact?(action: string, before: JsonObject): 'paid' | 'free' | undefined;
  /** The field of what it says that holds texts which its model wrote. */
  generatedTextField?: string;
}

export interface PollRequest {
  /** Below the base URL. */
  path: string;
  /** Absent: a GET. */
  body?: JsonObject;
}

/** A work as its owner may see it. */
export interface ShownArtifact extends TaskArtifact {
  /** URL at which its owner gets it without a key; if absent, the dialect's own path. */
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
  works: readonly ShownArtifact[];
  failure: string;
  createdAt: number;
  startedAt: number | undefined;
  endedAt: number | undefined;
  /** The vendor's response, if the vendor speaks the client's dialect. */
  said: JsonObject | undefined;
  /** Public URL of this gateway, without a trailing slash. */
  site: string;
}

/** Encoders of task responses for the clients of a dialect. */
export interface ClientTasks {
  /** Prefix of the task IDs that clients see. */
  idPrefix: string;
  readPrompt(body: JsonObject): string;
  /** Encodes the response to a submission. */
  encodeSubmission(task: TaskView): JsonObject;
  /** Encodes the response to a poll. */
  encodePoll(task: TaskView): JsonObject;
  /** Returns the client's callback URL for status updates; undefined if there is none. */
  readCallbackUrl?(body: JsonObject): string | undefined;
  /** Encodes the body of a callback; same as `shown` if absent. */
  encodeCallback?(task: TaskView): JsonObject;
}

/** The task that an order goes on from, as its vendor knows it. */
export interface TaskOrigin {
  upstreamId: string;
  model: string;
  /** Body of the original request. */
  request: JsonObject;
  /** The vendor's last status of it. */
  said: JsonObject;
}

/** Neutral form of a request for a video. */
export interface VideoRequest {
  prompt: string;
  seconds: number;
  /** Pixels. */
  size?: { width: number; height: number } | undefined;
  /** Base64 or an address: what it begins with. */
  image?: { base64: string } | { url: string } | undefined;
  more: JsonObject;
}

/** Body of a vendor's video task, and the usage of the resulting video. */
export interface VideoSubmission {
  body: Record<string, unknown>;
  usage: Usage;
}

/** A picture as clients name it: its address, or its bytes as a data URL or as base64. */
export function parseImage(image: string): NonNullable<VideoRequest['image']> {
  return /^https?:/.test(image) ? { url: image } : { base64: image.replace(/^data:[^,]*,/, '') };
}

/** Percent as a number, whatever a vendor writes: `37%`, `37`, 37. */
export function parsePercent(value: unknown): number | undefined {
  const number = typeof value === 'string' ? Number.parseFloat(value) : value;
  if (typeof number !== 'number' || !Number.isFinite(number)) return undefined;
  return Math.min(100, Math.max(0, Math.floor(number)));
}

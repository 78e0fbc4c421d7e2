/** Vendor tasks: videos, drawings, music. */

import type { JsonObject } from '../json/json.ts';
import type { UpstreamDialectId } from './dialect-id.ts';
import type { Usage } from './usage.ts';

export type TaskStatus = 'queued' | 'running' | 'succeeded' | 'failed';

export interface TaskArtifact {
  kind: 'video' | 'image' | 'audio' | 'text';
  /** URL, or a path below the account's base URL, which requires its credentials. */
  at?: string;
  text?: string;
  title?: string;
  coverUrl?: string;
  /** Length in seconds. */
  seconds?: number;
  /** Present if the vendor reports this artifact as finished, whatever becomes of its task. */
  isFinished?: true;
}

/** Status update from a vendor about a task. */
export interface TaskUpdate {
  /** Vendor's id, with all that a poll needs. */
  id: string;
  status: TaskStatus;
  /** Percent; absent if not reported. */
  progress?: number;
  works: readonly TaskArtifact[];
  /** Vendor's error message of a failed task. */
  failure?: string;
  /** Present if the vendor bills the failed task. */
  isBilled?: true;
  /** Actual usage, if it may differ from the requested one. */
  usage?: Partial<Usage>;
  /** Vendor's response, unchanged. */
  said: JsonObject;
}

/** Task that a vendor has accepted, with the dialect for polling it. */
export interface AcceptedTask extends TaskUpdate {
  format: UpstreamDialectId;
}

/** Interface for submitting tasks to a vendor and polling them. */
export interface UpstreamTasks {
  /**
   * Reads the response to a submission.
   * @param path path of the submission
   * @returns undefined if the response has no task id
   * @throws UpstreamError when the dialect knows why the submission was refused
   */
  readSubmission(answer: JsonObject, path: string): TaskUpdate | undefined;
  /** Maximum number of tasks in one poll. */
  tasksPerPoll: number;
  /** @param action common action of the tasks in the poll */
  buildPoll(ids: readonly string[], action: string): PollRequest;
  /** Returns the updates of the tasks in the response. @param ids ids of the poll */
  readPoll(answer: unknown, ids: readonly string[]): readonly TaskUpdate[];
  /** Seconds after which an open task counts as failed. */
  expirySeconds: number;
  /**
   * Returns how a successful task without an artifact is charged: paid, such as a description of an image; free, such
   * as a closed modal task; or undefined if the artifact may still come. If absent, the artifact may still come.
   * @param before vendor's previous status of the task
   */
  chargeWithoutArtifact?(action: string, before: JsonObject): 'paid' | 'free' | undefined;
  /** Field of the vendor's response with text that the model wrote. */
  generatedTextField?: string;
}

export interface PollRequest {
  /** Path below the base URL. */
  path: string;
  /** Absent: a GET. */
  body?: JsonObject;
}

/** Artifact as its owner sees it. */
export interface ShownArtifact extends TaskArtifact {
  /** URL at which its owner gets it without a key; absent: the dialect's own path. */
  address?: string | undefined;
}

/** Task as its owner sees it. Times are UTC seconds. */
export interface TaskView {
  /** Gateway's id. */
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
  /** Vendor's response, if the vendor uses the client's dialect. */
  said: JsonObject | undefined;
  /** Public URL of this gateway, without a trailing slash. */
  site: string;
}

/** Encoders of task responses for the clients of a dialect. */
export interface ClientTasks {
  /** Prefix of the task ids that clients see. */
  idPrefix: string;
  readPrompt(body: JsonObject): string;
  /** Encodes the response to a submission. */
  encodeSubmission(task: TaskView): JsonObject;
  /** Encodes the response to a poll. */
  encodePoll(task: TaskView): JsonObject;
  /** Returns the client's callback URL for status updates; undefined without one. */
  readCallbackUrl?(body: JsonObject): string | undefined;
  /** Encodes the body of a callback; absent: same as `encodePoll`. */
  encodeCallback?(task: TaskView): JsonObject;
}

/** Task that a submission continues, as its vendor knows it. */
export interface TaskOrigin {
  upstreamId: string;
  model: string;
  /** Body of the original request. */
  request: JsonObject;
  /** Vendor's last status of the task. */
  said: JsonObject;
  /** Billed size of the task, which a client's fields cannot contradict. 0 and empty if its price has none. */
  usage: Pick<Usage, 'second' | 'imageVariant'>;
}

/** Neutral form of a request for a video. */
export interface VideoRequest {
  prompt: string;
  seconds: number;
  /** Pixels. */
  size?: { width: number; height: number } | undefined;
  /** First frame, as base64 or a URL. */
  image?: { base64: string } | { url: string } | undefined;
  more: JsonObject;
}

/** Body of a vendor's video task, and the usage of the resulting video. */
export interface VideoSubmission {
  body: Record<string, unknown>;
  usage: Usage;
}

/** Returns the usage that the artifacts themselves show. */
export function measureArtifacts(works: readonly TaskArtifact[]): Partial<Usage> {
  const seconds = works.reduce((sum, work) => sum + (work.seconds ?? 0), 0);
  const characters = works.reduce((sum, { text = '' }) => sum + text.length, 0);
  return {
    ...(seconds > 0 ? { second: Math.ceil(seconds) } : {}),
    ...(characters > 0 ? { character: characters } : {}),
  };
}

/** Parses an image in a client's request: a URL, or its bytes as a data URL or as base64. */
export function parseImage(image: string): NonNullable<VideoRequest['image']> {
  return /^https?:/.test(image) ? { url: image } : { base64: image.replace(/^data:[^,]*,/, '') };
}

/** Parses a percentage in any notation: `37%`, `37`, 37. */
export function parsePercent(value: unknown): number | undefined {
  const number = typeof value === 'string' ? Number.parseFloat(value) : value;
  if (typeof number !== 'number' || !Number.isFinite(number)) return undefined;
  return Math.min(100, Math.max(0, Math.floor(number)));
}

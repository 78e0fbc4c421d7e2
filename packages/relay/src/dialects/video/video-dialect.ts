/**
 * Shared implementation for upstreams that take video tasks and speak no client's dialect: the client describes the
 * video, and the nearest one that the vendor offers is sent and priced.
 */

import { isObject, type JsonObject, objectOf, parseEmbeddedJson, textOf } from '../../json/json.ts';
import type { UpstreamDialect } from '../../model/dialect.ts';
import type { UpstreamDialectId } from '../../model/dialect-id.ts';
import { parseTaskId } from '../../model/ids.ts';
import { InvalidRequest } from '../../model/invalid-request.ts';
import { hasTaskStatus, parseTaskStatus } from '../../model/task-status.ts';
import {
  parsePercent,
  type TaskStatus,
  type TaskUpdate,
  type VideoRequest,
  type VideoSubmission,
} from '../../model/task-types.ts';
import type { Usage } from '../../model/usage.ts';
import { estimateVideoUsage } from './video-fields.ts';

const EXPIRY_SECONDS = 86_400;
const SIDE_DEFAULT = 720;
/** Sides are made of whole blocks of so many pixels. */
const BLOCK = 16;

/** Videos that a model can make. */
export interface VideoOptions {
  /** Seconds, ascending. */
  lengths: readonly number[];
  /** Resolutions, or what else its films differ by, as the vendor writes them. */
  variants: readonly string[];
}

/** Video that the model makes for a request. */
interface ResolvedVideo extends VideoRequest {
  variant: string;
}

/** A video task as the vendor reports it, unparsed. */
export interface VendorVideoTask {
  /** The vendor's word for its state. */
  word?: unknown;
  /** The state, where other fields than a word say it. */
  status?: TaskStatus | undefined;
  progress?: unknown;
  /** Path to the video's URL. */
  urlCandidates: readonly unknown[];
  failure: unknown;
  usage?: Partial<Usage> | undefined;
}

interface VideoDialectSpec {
  id: UpstreamDialectId;
  options: (model: string) => VideoOptions;
  /**
   * Returns the requested variant; if absent, the named resolution or the nearest one counts.
   * @throws InvalidRequest
   */
  chooseVariant?: (variants: readonly string[], asked: VideoRequest) => string;
  encode: (film: ResolvedVideo, model: string, dropped: string[]) => Record<string, unknown>;
  readId: (answer: JsonObject) => unknown;
  /** Pattern of task IDs. */
  idPattern?: RegExp;
  /** Path for polling a task. */
  path: (id: string) => string;
  /** Reads the answer to a question about one, and the answer to its order, which says less. */
  read: (answer: JsonObject) => VendorVideoTask;
  /** Headers of a submission in addition to the account's. */
  headers?: Readonly<Record<string, string>>;
}

/** Asked about one by one, for a day. */
export function createVideoDialect(own: VideoDialectSpec): UpstreamDialect {
  const { options, chooseVariant = chooseResolution, encode, readId, idPattern, headers } = own;
  return {
    id: own.id,
    operation: 'videos',
    readNonStreaming: () => ({ usage: undefined, content: [], binaries: [] }),
    upstreamTasks: {
      readSubmission(said) {
        const id = parseTaskId(readId(said), idPattern);
        return id === undefined ? undefined : readSubmissionUpdate(id, own.read(said), said);
      },
      tasksPerPoll: 1,
      buildPoll: ([id = '']) => ({ path: own.path(id) }),
      // The question was about one: not every vendor repeats which.
      readPoll(answer, [id = '']) {
        const said = objectOf(answer);
        return [readVideoUpdate(id, own.read(said), said)];
      },
      expirySeconds: EXPIRY_SECONDS,
    },
    encodeVideoSubmission(asked, model, dropped) {
      const { lengths, variants } = options(model);
      const seconds = roundUpLength(lengths, asked.seconds);
      const film = { ...asked, seconds, variant: chooseVariant(variants, asked) };
      return createVideoSubmission(film, encode(film, model, dropped));
    },
    ...(headers && {
      pack: (body: JsonObject) => ({ bytes: Buffer.from(JSON.stringify(body)), headers }),
    }),
  };
}

/** @param body that orders exactly this film */
export function createVideoSubmission(
  { seconds, variant }: Pick<ResolvedVideo, 'seconds' | 'variant'>,
  body: Record<string, unknown>,
): VideoSubmission {
  const side = shorterSide(variant);
  const whole = (pixels: number) => Math.ceil(pixels / BLOCK) * BLOCK;
  return {
    body,
    usage: estimateVideoUsage(seconds, variant, { width: whole((side * 16) / 9), height: whole(side) }),
  };
}

/** Returns all lengths from one to another, in whole seconds. */
export function listSeconds(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, nth) => from + nth);
}

/** The next that is made. @param lengths seconds, ascending. @throws InvalidRequest when all are shorter */
export function roundUpLength(lengths: readonly number[], seconds: number): number {
  const next = lengths.find((length) => length >= seconds);
  if (next !== undefined) return next;
  throw new InvalidRequest(`This model supports videos of ${lengths.join(', ')} seconds.`, 'seconds');
}

/** The one that is named, else the nearest to the size. @throws InvalidRequest when there is none of that name */
function chooseResolution(resolutions: readonly string[], { size, more }: VideoRequest): string {
  if (more['resolution'] !== undefined) return matchOption(resolutions, more['resolution'], 'resolution');
  const side = size === undefined ? SIDE_DEFAULT : Math.min(size.width, size.height);
  const distance = (resolution: string) => Math.abs(Math.log(shorterSide(resolution) / side));
  return resolutions.toSorted((a, b) => distance(a) - distance(b))[0] ?? '';
}

/**
 * Returns the value in the vendor's spelling, ignoring the case of the client's.
 * @throws InvalidRequest that lists the allowed values
 */
export function matchOption(values: readonly string[], named: unknown, field: string): string {
  const found = values.find((value) => typeof named === 'string' && value.toLowerCase() === named.toLowerCase());
  if (found !== undefined) return found;
  throw new InvalidRequest(`${field} must be one of ${values.join(', ')}.`, field);
}

/** Pixels of the shorter side of `720p`. */
function shorterSide(resolution: string): number {
  const number = Number.parseInt(resolution, 10);
  if (resolution === '4k') return 2160;
  return Number.isNaN(number) ? SIDE_DEFAULT : number;
}

/** Reads a poll: the state of a film at its vendor. */
export function readVideoUpdate(id: string, film: VendorVideoTask, said: JsonObject): TaskUpdate {
  const { urlCandidates, failure, usage } = film;
  const addresses = listUrls(urlCandidates);
  const status = film.status ?? parseTaskStatus(film) ?? (addresses.length > 0 ? 'succeeded' : 'running');
  const progress = parsePercent(film.progress);
  return {
    id,
    status,
    ...(progress === undefined ? {} : { progress }),
    works: addresses.map((address) => ({ kind: 'video' as const, at: address })),
    ...(status === 'failed' ? { failure: textOf(failure) ?? 'The video generation failed.' } : {}),
    ...(usage === undefined ? {} : { usage }),
    said,
  };
}

/** Returns the addresses in a text, in an object that has one as `url`, or in a list of these. */
export function listUrls(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(listUrls);
  return [textOf(value) ?? textOf(objectOf(value)['url']) ?? []].flat();
}

/** Reads the response to the order of a film. */
export function readSubmissionUpdate(id: string, film: VendorVideoTask, said: JsonObject): TaskUpdate {
  const hasAddress = listUrls(film.urlCandidates).length > 0;
  const status = film.status ?? parseTaskStatus(film) ?? (hasAddress ? undefined : 'queued');
  return readVideoUpdate(id, { ...film, status }, said);
}

/** Undefined where the vendor tells no length. @param more that its price may differ by */
export function toVideoUsage(
  seconds: number | undefined,
  more: Pick<Partial<Usage>, 'imageVariant'> = {},
): Partial<Usage> | undefined {
  if (seconds === undefined || !(seconds > 0)) return undefined;
  return { second: Math.ceil(seconds), ...more };
}

/** Returns the task that an answer is about. Some gateways wrap it in an envelope. */
export function unwrapTask(answer: JsonObject): JsonObject {
  const [data] = [parseEmbeddedJson(answer['data'])].flat();
  const isEnvelope =
    isObject(data) && parseTaskId(answer) === undefined && (hasTaskStatus(data) || parseTaskId(data) !== undefined);
  return isEnvelope ? data : answer;
}

/** Returns an image's URL, or its content as a data URL. */
export function toImageUrl(image: NonNullable<VideoRequest['image']>): string {
  return 'url' in image ? image.url : `data:image/png;base64,${image.base64}`;
}

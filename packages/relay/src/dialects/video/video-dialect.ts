/**
 * Shared implementation for upstreams of video tasks that no client dialect matches: the client describes the video,
 * and the nearest one that the vendor offers is submitted and billed.
 */

import { describeValue } from '../../json/describe-value.ts';
import { isObject, type JsonObject, objectOf, parseEmbeddedJson, textOf } from '../../json/json.ts';
import type { RequestFacts } from '../../model/client-request.ts';
import type { UpstreamDialect } from '../../model/dialect.ts';
import type { UpstreamDialectId } from '../../model/dialect-id.ts';
import { InvalidRequestError } from '../../model/invalid-request-error.ts';
import { hasTaskStatus, parseTaskStatus } from '../../model/parse-task-status.ts';
import { parseTaskId } from '../../model/task-and-call-ids.ts';
import {
  parsePercent,
  type TaskStatus,
  type TaskUpdate,
  type VideoRequest,
  type VideoSubmission,
} from '../../model/task-types.ts';
import { emptyUsage, type Usage } from '../../model/usage.ts';

const EXPIRY_SECONDS = 86_400;
const SIDE_DEFAULT = 720;
/** Sides are multiples of this number of pixels. */
const BLOCK = 16;
const plainNumber = /^\d{1,4}(?:\.\d{1,6})?$/;
const sizeText = /^(\d{2,4})x(\d{2,4})$/;
const FRAMES_PER_SECOND = 24;
/** Minimum pixels; no vendor generates smaller videos. */
const PIXELS_MIN = 864 * 480;

/** Videos that a model supports. */
export interface VideoOptions {
  /** Seconds, ascending. */
  lengths: readonly number[];
  /** Resolutions, or other price variants, in the vendor's spelling. */
  variants: readonly string[];
}

/** Video that a model generates for a request. */
interface ResolvedVideo extends VideoRequest {
  variant: string;
}

/** Video task as the vendor reports it, unparsed. */
export interface VendorVideoTask {
  /** Vendor's status word. */
  word?: unknown;
  /** Status, if other fields than a word express it. */
  status?: TaskStatus | undefined;
  progress?: unknown;
  /** Possible values of the video's URL, by precedence. */
  urlCandidates: readonly unknown[];
  failure: unknown;
  /** True if the vendor bills the task although it failed. */
  isBilled?: boolean;
  usage?: Partial<Usage> | undefined;
}

interface VideoDialectSpec {
  id: UpstreamDialectId;
  options: (model: string) => VideoOptions;
  /**
   * Returns the requested variant; absent: the named resolution or the nearest one.
   * @throws InvalidRequestError
   */
  chooseVariant?: (variants: readonly string[], asked: VideoRequest) => string;
  encode: (film: ResolvedVideo, model: string, dropped: string[]) => Record<string, unknown>;
  readId: (answer: JsonObject) => unknown;
  /** Pattern of task ids. */
  idPattern?: RegExp;
  /** Returns the path for polling a task. */
  path: (id: string) => string;
  /** Reads the response to a poll, or to a submission, which has fewer fields. */
  read: (answer: JsonObject) => VendorVideoTask;
  /** Headers of a submission in addition to the account's. */
  headers?: Readonly<Record<string, string>>;
}

/** Creates a dialect whose tasks are polled one by one, for a day. */
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
      // Not every vendor repeats the task's id.
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
    ...(headers && { pack: (body: JsonObject) => ({ bytes: Buffer.from(JSON.stringify(body)), headers }) }),
  };
}

/** @param body submission of exactly this video */
export function createVideoSubmission(
  { seconds, variant }: Pick<ResolvedVideo, 'seconds' | 'variant'>,
  body: Record<string, unknown>,
): VideoSubmission {
  const side = shorterSide(variant);
  const whole = (pixels: number) => Math.ceil(pixels / BLOCK) * BLOCK;
  return { body, usage: estimateVideoUsage(seconds, variant, { width: whole((side * 16) / 9), height: whole(side) }) };
}

/** Returns all lengths from one to another, in whole seconds. */
export function listSeconds(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, nth) => from + nth);
}

/** Returns the next length. @param lengths ascending seconds. @throws InvalidRequestError when all are shorter */
export function roundUpLength(lengths: readonly number[], seconds: number): number {
  const next = lengths.find((length) => length >= seconds);
  if (next !== undefined) return next;
  throw new InvalidRequestError(
    `This model supports videos of ${lengths.join(', ')} seconds, not of ${seconds}.`,
    'seconds',
  );
}

/** Returns the named resolution, else the nearest to the size. @throws InvalidRequestError for an unknown name */
function chooseResolution(resolutions: readonly string[], { size, more }: VideoRequest): string {
  if (more['resolution'] !== undefined) return matchOption(resolutions, more['resolution'], 'resolution');
  const side = size === undefined ? SIDE_DEFAULT : Math.min(size.width, size.height);
  const distance = (resolution: string) => Math.abs(Math.log(shorterSide(resolution) / side));
  return resolutions.toSorted((a, b) => distance(a) - distance(b))[0] ?? '';
}

/**
 * Returns the value in the vendor's spelling, ignoring the case of the client's.
 * @throws InvalidRequestError that lists the allowed values
 */
export function matchOption(values: readonly string[], named: unknown, field: string): string {
  const found = values.find((value) => typeof named === 'string' && value.toLowerCase() === named.toLowerCase());
  if (found !== undefined) return found;
  throw new InvalidRequestError(`${field} must be one of ${values.join(', ')}, not ${describeValue(named)}.`, field);
}

/** Returns the shorter side of `720p` in pixels. */
function shorterSide(resolution: string): number {
  const number = Number.parseInt(resolution, 10);
  if (resolution === '4k') return 2160;
  return Number.isNaN(number) ? SIDE_DEFAULT : number;
}

/** Reads a poll: the status of a video task. */
export function readVideoUpdate(id: string, film: VendorVideoTask, said: JsonObject): TaskUpdate {
  const { urlCandidates, failure, isBilled, usage } = film;
  const addresses = listUrls(urlCandidates);
  const status = film.status ?? parseTaskStatus(film) ?? (addresses.length > 0 ? 'succeeded' : 'running');
  const progress = parsePercent(film.progress);
  return {
    id,
    status,
    ...(progress === undefined ? {} : { progress }),
    works: addresses.map((address) => ({ kind: 'video' as const, at: address })),
    ...(status === 'failed' ? { failure: textOf(failure) ?? 'The video generation failed.' } : {}),
    ...(status === 'failed' && isBilled === true ? { isBilled } : {}),
    ...(usage === undefined ? {} : { usage }),
    said,
  };
}

/** Returns the URLs in a text, in an object with a `url`, or in a list of these. */
export function listUrls(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(listUrls);
  return [textOf(value) ?? textOf(objectOf(value)['url']) ?? []].flat();
}

/** Reads the response to a task submission. */
export function readSubmissionUpdate(id: string, film: VendorVideoTask, said: JsonObject): TaskUpdate {
  const hasAddress = listUrls(film.urlCandidates).length > 0;
  const status = film.status ?? parseTaskStatus(film) ?? (hasAddress ? undefined : 'queued');
  return readVideoUpdate(id, { ...film, status }, said);
}

/** Returns undefined if the vendor reports no length. @param more fields that affect the price */
export function toVideoUsage(
  seconds: number | undefined,
  more: Pick<Partial<Usage>, 'imageVariant'> = {},
): Partial<Usage> | undefined {
  if (seconds === undefined || !(seconds > 0)) return undefined;
  return { second: Math.ceil(seconds), ...more };
}

/** Returns the task in a response. Some gateways wrap it in an envelope. */
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

/** Parses a length; returns undefined for a value that is neither a number nor a numeric text. */
export function parseLength(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && plainNumber.test(value) ? Number(value) : undefined;
}

/** Parses a size such as `1280x720`; returns undefined for other values. */
export function parseSize(value: unknown): VideoRequest['size'] {
  const [, width, height] = (typeof value === 'string' ? sizeText.exec(value) : null) ?? [];
  if (width === undefined || height === undefined) return undefined;
  return { width: Number(width), height: Number(height) };
}

/** @throws InvalidRequestError */
export function requireSize(value: unknown): NonNullable<VideoRequest['size']> {
  const size = parseSize(value);
  if (size !== undefined) return size;
  throw new InvalidRequestError(
    `size must be WIDTHxHEIGHT in pixels, such as 1280x720, not ${describeValue(value)}.`,
    'size',
  );
}

/**
 * Returns the usage in seconds, and in tokens for token prices: https://docs.byteplus.com/en/docs/ModelArk/1544106
 * @param variant size or resolution, in the vendor's spelling, on which the price per second may depend
 */
export function estimateVideoUsage(
  seconds: number,
  variant: string,
  { width, height }: { width: number; height: number },
): Usage {
  const pixels = Math.max(width * height, PIXELS_MIN);
  const output = Math.ceil((pixels * FRAMES_PER_SECOND * seconds) / 1024);
  return { ...emptyUsage(), second: seconds, imageVariant: variant, output };
}

/**
 * @param inputTokensEstimate estimate for the prompt
 * @param isCounted false if `usage` is a maximum
 */
export function createVideoFacts(
  usage: Usage,
  inputTokensEstimate: number,
  isCounted = true,
): Pick<RequestFacts, 'hasTools' | 'maxOutputTokens' | 'choices' | 'inputTokensEstimate' | 'expected'> {
  return {
    hasTools: false,
    maxOutputTokens: undefined,
    choices: 1,
    inputTokensEstimate,
    expected: { unit: 'second', usage, isCounted },
  };
}

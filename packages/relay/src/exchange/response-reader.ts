import type { ClientRequest } from '../model/client-request.ts';
import type { AnswerReader, ResponseHeaders } from '../model/exchange.ts';
import type { Dialect, UpstreamDialect } from '../model/format.ts';
import type { Operation } from '../model/format-id.ts';
import { InvalidRequest } from '../model/invalid-request.ts';
import type { Target } from '../model/provider.ts';
import { type AnswerCheck, CheckedReader } from '../moderation/checked-answer.ts';
import { type KeepPicture, LinkedPictures, mayLinkPictures } from '../moderation/linked-images.ts';
import { surfacePair } from '../translate/surface-pair.ts';
import type { ToolNames } from '../translate/tool-names.ts';
import { ArrayReader } from './array-reader.ts';
import { PlainAnswerReader } from './binary-response.ts';
import { dialectOf } from './dialects.ts';
import { writeAnswer } from './emulated-stream.ts';
import { EVENT_STREAM_TYPE, EventStreamReader } from './event-stream-reader.ts';
import { type TranslateWhole, WholeAnswerReader } from './non-streaming-response.ts';
import { PassThroughReader } from './pass-through.ts';
import { OrderReader } from './submission-reader.ts';
import { TranslatingReader } from './translate-response.ts';

const wordless: ReadonlySet<Operation> = new Set(['embeddings', 'moderation', 'rerank', 'speech']);

/** Changes to a response on its way to the client. */
export interface AnswerChanges {
  /** Judges what it says before the client gets it. */
  check?: AnswerCheck | undefined;
  /** Keeps the pictures that stand in it, where the client's dialect can say where they are. */
  keepPicture?: KeepPicture | undefined;
}

/** Context of an upstream's response: how the request was sent, and the dialect of the response. */
interface Answered {
  upstream: UpstreamDialect;
  names: ToolNames;
  /** The client gets the answer as it is. */
  passes: boolean;
  streams: boolean;
  headers: ResponseHeaders;
  /** Below the base URL, with its query. */
  path: string;
  changes: AnswerChanges;
}

/** Takes an answer from the upstream's dialect to the client's: untouched where they are the same. */
export function answerReader(request: ClientRequest, target: Target, answered: Answered): AnswerReader {
  const events = readerOf(request, target, answered);
  const isFramed = String(answered.headers['content-type'] ?? '').startsWith(EVENT_STREAM_TYPE);
  const checked = checkedReader(request, isFramed ? new EventStreamReader(events) : events, answered);
  const reader = linkedReader(request, checked, answered);
  return request.facts.stream && request.framing === 'json-array' ? new ArrayReader(reader) : reader;
}

/**
 * Adds the moderation of the response if it applies. Audio is not read, vectors and scores contain no text, and the
 * response to a task submission has no content yet.
 */
function checkedReader(
  { facts, json, operation }: ClientRequest,
  reader: AnswerReader,
  { upstream, changes: { check } }: Answered,
): AnswerReader {
  const isText = upstream.plainAnswer?.(json)?.isText ?? !wordless.has(operation);
  return check === undefined || !isText || upstream.orders !== undefined
    ? reader
    : new CheckedReader(reader, check, facts.stream);
}

function linkedReader(
  request: ClientRequest,
  reader: AnswerReader,
  { upstream, changes: { keepPicture } }: Answered,
): AnswerReader {
  return keepPicture === undefined || !mayLinkPictures(request) || upstream.orders !== undefined
    ? reader
    : new LinkedPictures(reader, keepPicture, request.facts.stream);
}

function readerOf(
  request: ClientRequest,
  target: Target,
  { upstream, names, passes, streams, headers, path }: Answered,
): AnswerReader {
  const client = dialectOf(request.format);
  const contentType = String(headers['content-type'] ?? '');
  if (upstream.orders !== undefined) return new OrderReader(upstream.id, upstream.orders, path, target);
  const plain = upstream.plainAnswer?.(request.json);
  if (plain !== undefined) return new PlainAnswerReader(plain, contentType, target);
  const isWhole = upstream.mayAnswerWhole === true && /^application\/json\b/i.test(contentType);
  if (!streams || isWhole)
    return new WholeAnswerReader(
      upstream,
      passes ? undefined : translator(client, upstream, names),
      request,
      target,
    );
  if (passes && upstream.tap !== undefined) return new PassThroughReader(upstream.tap, request, target);
  if (client.chat === undefined || upstream.chat === undefined)
    throw new InvalidRequest('This endpoint cannot stream.', 'stream');
  return new TranslatingReader(names.readBack(upstream.chat), upstream.id, client.chat, request, target);
}

function translator(client: Dialect, upstream: UpstreamDialect, names: ToolNames): TranslateWhole {
  const pair = surfacePair(client, upstream);
  return (answer, whole, request, lost) => {
    const { events } = whole;
    if (events !== undefined)
      return client.chat && writeAnswer(client.chat, names.asDeclared(events), request, lost);
    return pair?.answer(answer, whole, request, lost);
  };
}

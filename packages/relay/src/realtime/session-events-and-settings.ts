import { createTargetRedactor, mapStrings, type Redactor } from '../errors/redact-keys.ts';
import { limitErrorSize } from '../errors/redact-vendor-error.ts';
import { exceededLimit, isObject, type JsonObject, numberOf, objectOf, parseJson } from '../json/json.ts';
import { checkJsonSize, hasManyValues } from '../json/request-json-limits.ts';
import type { ClientRequest } from '../model/client-request.ts';
import { InvalidRequestError } from '../model/invalid-request-error.ts';
import type { Target } from '../model/provider.ts';
import { type PassthroughCall, planPassthroughCall } from '../provider-kit/passthrough-and-account-requests.ts';

/** Plan for a client's event. */
export interface PlannedEvent {
  /** Event for the upstream, which replaces the client's message. */
  text: string;
  /** Models that transcribe the client's audio. */
  transcribers: string[];
}

/** Limit of an event: parsing four times as many values blocks the process for a third of a second. */
const EVENT_LIMITS = { depth: Number.POSITIVE_INFINITY, values: 250_000 };

/** Fields with the settings, by event type. The last event is the beta API's. */
const settingsOf: Readonly<Record<string, string>> = {
  'session.update': 'session',
  'response.create': 'response',
  'transcription_session.update': 'session',
};

/**
 * Plans a client's event; refuses a change of the session's model. Every event is serialized again, so that the
 * upstream reads what is checked and metered here: parsers disagree on repeated fields, and some accept `NaN`.
 * @param event result of `readEvent`. @param model client's name of the model. @param upstreamModel upstream's name
 * @throws InvalidRequestError for another model, or a message that is not a JSON object
 */
export function planClientEvent(event: unknown, model: string, upstreamModel: string): PlannedEvent {
  if (!isObject(event)) throw new InvalidRequestError('A message must be a JSON object.');
  const { type } = event;
  const place = typeof type === 'string' && Object.hasOwn(settingsOf, type) ? settingsOf[type] : undefined;
  if (place === undefined) return { text: JSON.stringify(event), transcribers: [] };
  const settings = objectOf(event[place]);
  const asked = settings['model'];
  if (asked === undefined) return { text: JSON.stringify(event), transcribers: readTranscribers(settings) };
  if (asked !== model && asked !== upstreamModel)
    throw new InvalidRequestError('The model of a session cannot be changed. Open a new session.', `${place}.model`);
  const named = { ...event, [place]: { ...settings, model: upstreamModel } };
  return { text: JSON.stringify(named), transcribers: readTranscribers(settings) };
}

/** Returns the transcription models in a session's settings; the second position is the beta API's. */
export function readTranscribers(session: JsonObject): string[] {
  const { input } = objectOf(session['audio']);
  const places = [objectOf(input)['transcription'], session['input_audio_transcription']];
  return places.map((place) => objectOf(place)['model']).filter((name) => typeof name === 'string');
}

/** https://platform.openai.com/docs/guides/realtime-conversations: 16-bit mono. */
const BYTES_PER_SAMPLE = 2;
const RATE = { usual: 24_000, least: 8_000, most: 192_000 };
const telephones: ReadonlySet<unknown> = new Set(['audio/pcmu', 'audio/pcma', 'g711_ulaw', 'g711_alaw']);

/** Audio format as base64 bytes per second. */
export interface AudioFormat {
  bytesPerSecond: number;
}

/** G.711, the telephone codec: eight bits, 8,000 times per second. */
const TELEPHONE: AudioFormat = { bytesPerSecond: 8_000 };
export const defaultAudioFormat: AudioFormat = { bytesPerSecond: RATE.usual * BYTES_PER_SAMPLE };

/** Reads a session's `format`: `{type: 'audio/pcm', rate: 24000}`; a name such as `pcm16` in the beta API. */
export function readAudioFormat(value: unknown): AudioFormat {
  const { type = value, rate } = objectOf(value);
  if (telephones.has(type)) return TELEPHONE;
  const told = numberOf(rate) ?? RATE.usual;
  return { bytesPerSecond: Math.min(RATE.most, Math.max(RATE.least, told)) * BYTES_PER_SAMPLE };
}

/** Returns the length of audio. @param base64 audio, or a part of it */
export function secondsOf(base64: string, { bytesPerSecond }: AudioFormat): number {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0;
  return Math.max(0, (base64.length * 3) / 4 - padding) / bytesPerSecond;
}

/**
 * Returns whether responses begin by themselves, as they do unless turn detection is off or doesn't create them.
 * https://developers.openai.com/api/docs/guides/realtime-vad
 * @param settings values at the API's position and at its beta's
 */
export function respondsAlone(...settings: readonly unknown[]): boolean {
  return settings.every((setting) => setting !== null && objectOf(setting)['create_response'] !== false);
}

/**
 * Returns the call that opens a session, as an HTTP URL with its headers. The client's only forwarded header is its API
 * version.
 */
export function planSession(request: ClientRequest, target: Target): PassthroughCall {
  const [endpoint] = target.provider.endpoints.realtime ?? [];
  if (endpoint === undefined)
    throw new InvalidRequestError(
      `The provider of this model (${target.provider.label}) does not support realtime. Choose another model.`,
    );
  const { path } = endpoint;
  const beta = request.headers['openai-beta'];
  const said = beta === undefined ? {} : { 'openai-beta': beta };
  return planPassthroughCall(target, typeof path === 'string' ? path : path(target, request), said);
}

/**
 * Reads a message of either side; returns undefined if it is not JSON.
 * @throws InvalidRequestError when it would take too much memory, or is nested too deeply
 */
export function readEvent(message: Buffer): unknown {
  checkJsonSize(message);
  const text = message.toString('utf8');
  if (exceededLimit(text, EVENT_LIMITS) !== undefined)
    throw new InvalidRequestError(`The event has more than ${EVENT_LIMITS.values} values.`);
  return parseJson(text);
}

/**
 * Reads a client's message. Audio and texts may be long, but no client has thousands of values in an event.
 * @throws InvalidRequestError as `readEvent` does, and for such an event
 */
export function readClientEvent(message: Buffer): unknown {
  if (hasManyValues(message))
    throw new InvalidRequestError('The event has too many values. Split it into several events.');
  return readEvent(message);
}

/**
 * Removes the channel's credentials from an upstream's event; a vendor's error text may contain them.
 * @param event value within the nesting limit of `readEvent`
 * @returns text of the event if it changed
 */
export function redactEvent(event: unknown, target: Target): string | undefined {
  if (!isObject(event)) return undefined;
  const redact = createTargetRedactor(target);
  if (isObject(event['error'])) return JSON.stringify(redactErrorMember(event, redact));
  const response = objectOf(event['response']);
  const details = objectOf(response['status_details']);
  if (!isObject(details['error'])) return undefined;
  return JSON.stringify({ ...event, response: { ...response, status_details: redactErrorMember(details, redact) } });
}

function redactErrorMember(holder: JsonObject, redact: Redactor): JsonObject {
  return { ...holder, error: mapStrings(limitErrorSize(objectOf(holder['error'])), redact) };
}

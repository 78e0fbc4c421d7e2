import { isObject, type JsonObject, parseJson } from '../json/json.ts';
import { formatSseEvent, parseSseEvents, splitEvents } from '../wire/sse.ts';
import { WrappingReader } from './wrapping-reader.ts';

/** Beginning of the types of Mistral's events. */
const MISTRAL_TYPE = '"transcription.';

/**
 * Stream of a transcript whose events have OpenAI's form. Mistral's events are converted: clients of OpenAI's endpoint
 * would not find the text in them. Other vendors send OpenAI's.
 * Sources: `TranscriptionStreamEvents` in https://github.com/mistralai/client-ts;
 * https://platform.openai.com/docs/api-reference/audio/transcript-text-delta-event
 */
export class TranscriptEventsReader extends WrappingReader {
  #segments = 0;

  protected get ownBytes(): number {
    return 0;
  }

  protected change(bytes: Buffer): Buffer {
    if (!bytes.includes(MISTRAL_TYPE)) return bytes;
    return Buffer.concat([...splitEvents(bytes)].map((event) => this.#convert(event)));
  }

  #convert(bytes: Buffer): Buffer {
    const [event] = parseSseEvents(bytes);
    const json = event === undefined ? undefined : parseJson(event.data);
    if (!isObject(json)) return bytes;
    const { type, text } = json;
    if (type === 'transcription.text.delta') return formatSseEvent('', { type: 'transcript.text.delta', delta: text });
    if (type === 'transcription.segment') return formatSseEvent('', this.#convertSegment(json));
    if (type === 'transcription.done') return formatSseEvent('', { type: 'transcript.text.done', text });
    // OpenAI has no event for the language.
    return type === 'transcription.language' ? Buffer.alloc(0) : bytes;
  }

  #convertSegment({ text, start, end, speaker_id: speaker }: JsonObject): JsonObject {
    const id = `seg_${this.#segments++}`;
    return { type: 'transcript.text.segment', id, start, end, text, ...(speaker != null && { speaker }) };
  }
}

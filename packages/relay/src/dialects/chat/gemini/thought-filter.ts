import { type JsonObject, objectOf } from '../../../json/json.ts';
import type { ResponseEvent } from '../../../model/conversation.ts';
import {
  decodeSignature,
  encodeSignature,
  type ReasoningSignature,
  type SignatureLabel,
} from '../../../model/reasoning-signature.ts';
import { readField } from './field.ts';

type SignatureEvent = Extract<ResponseEvent, { type: 'reasoning-proof' }>;

/**
 * Reports whether the client asked for the texts of thoughts. Gemini sends none otherwise.
 * Source: Gemini's API reference, "ThinkingConfig.includeThoughts".
 */
export function requestsThoughts(request: JsonObject): boolean {
  const config = objectOf(readField(request, 'generationConfig'));
  return readField(objectOf(readField(config, 'thinkingConfig')), 'includeThoughts') === true;
}

/**
 * Leaves out the thoughts of one candidate that the client did not ask for: a client that reads the first part as the
 * answer would show them. Proofs that stand without a text are kept in front of a tool call, because the vendor may want
 * them back with its result. Google's own stand at other parts than thoughts, and always pass.
 */
export class ThoughtFilter {
  readonly #isAsked: boolean;
  #held: SignatureEvent[] = [];

  /** @param isAsked whether all thoughts are shown */
  constructor(isAsked: boolean) {
    this.#isAsked = isAsked;
  }

  /** Returns what is to be written for the next event of the candidate. */
  push(event: ResponseEvent): ResponseEvent[] {
    if (this.#isAsked) return [event];
    if (event.type === 'reasoning') return [];
    if (event.type === 'reasoning-proof' && event.signature.origin !== 'gemini') {
      if (standsAlone(event.signature)) this.#held.push(event);
      return [];
    }
    if (event.type === 'tool-call') return [...this.#held.splice(0), event];
    if (event.type === 'text') this.#held = [];
    return [event];
  }
}

/** The signatures of the other vendors are refused without the text that they sign. */
function standsAlone({ origin, kind }: ReasoningSignature): boolean {
  return kind === 'redacted' || origin === 'openai-responses';
}

const signed: SignatureLabel = { origin: 'gemini', kind: 'signature' };

/** Base64 of the prefix of every foreign reasoning signature, see `reasoning-signature.ts`. */
const FOREIGN = 'c3dpdGNoeWFyZC';

/**
 * Signatures are bytes here, and some of Google's client libraries decode and encode them again: what is somebody
 * else's has to be base64 as well.
 */
export function writeSignature(signature: ReasoningSignature): string {
  const written = encodeSignature(signature, 'gemini');
  return signature.origin === 'gemini' ? written : Buffer.from(written).toString('base64');
}

export function readSignature(text: string): ReasoningSignature | undefined {
  return decodeSignature(text.startsWith(FOREIGN) ? Buffer.from(text, 'base64').toString() : text, signed);
}

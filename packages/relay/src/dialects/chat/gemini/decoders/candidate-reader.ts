import { jsonText } from '../../../../errors/answer-errors.ts';
import { isObject, type JsonObject, listOf, numberOf, objectOf, textOf } from '../../../../json/json.ts';
import type {
  AnswerEvent,
  TokenLogprob,
  TokenProbability,
  VendorCall,
} from '../../../../model/conversation.ts';
import type { Lost } from '../../../../model/format.ts';
import { newId } from '../../../../model/new-id.ts';
import { inputOf } from '../../../../translate/tool-input.ts';
import { ByteOffsets } from '../byte-offsets.ts';
import { addCodeResult, readCode } from '../code-parts.ts';
import { field, unknownFields } from '../field.ts';
import { readSignature } from '../thought-signatures.ts';
import { CallArguments } from './call-arguments.ts';
import { GroundingReader } from './grounding-reader.ts';

const known = new Set([
  'text',
  'thought',
  'thoughtSignature',
  'inlineData',
  'functionCall',
  'executableCode',
  'codeExecutionResult',
]); // prettier-ignore

/** Follows one of the answers that were asked for. */
export class CandidateReader {
  finishReason: string | undefined;
  calls = 0;
  #openCall: { index: number; args: CallArguments } | undefined;
  /** Code that ran; its result is the next part. */
  #code: VendorCall | undefined;
  #codes = 0;
  readonly #offsets = new ByteOffsets();
  readonly #grounding = new GroundingReader();
  readonly #answerId: string;
  readonly #lost: Lost;

  /** @param answerId in which ids are unique for what has none; an empty one is replaced */
  constructor(answerId: string, lost: Lost) {
    this.#answerId = answerId === '' ? newId('') : answerId;
    this.#lost = lost;
  }

  read(candidate: JsonObject): AnswerEvent[] {
    const events: AnswerEvent[] = [];
    for (const part of listOf(objectOf(candidate['content'])['parts'])) this.#part(objectOf(part), events);
    events.push(...this.#grounding.read(candidate, this.#offsets));
    const tokens = logprobsOf(objectOf(field(candidate, 'logprobsResult')));
    if (tokens.length > 0) events.push({ type: 'logprobs', tokens });
    this.finishReason = textOf(field(candidate, 'finishReason')) ?? this.finishReason;
    // With `STOP` it says that there are calls, which can be seen.
    if (this.finishReason !== 'STOP' && textOf(field(candidate, 'finishMessage')) !== undefined)
      this.#lost.add('finishMessage');
    return events;
  }

  /** Returns the events that were held until the end of the answer. */
  finish(): AnswerEvent[] {
    return [...this.end(), ...this.#grounding.end()];
  }

  /** Returns the events that were held back for further pieces. */
  end(): AnswerEvent[] {
    return [...this.#endCode(), ...this.#endCall()];
  }

  /** A signature is of the part that it stands in, so that it comes first. */
  #part(part: JsonObject, events: AnswerEvent[]): void {
    for (const name of unknownFields(part, known)) this.#lost.add(`parts.${name}`);
    const text = textOf(part['text']);
    const signature = textOf(field(part, 'thoughtSignature'));
    const isThought = part['thought'] === true;
    if (isThought && text !== undefined) events.push({ type: 'reasoning', text });
    const proof = signature === undefined ? undefined : readSignature(signature);
    if (proof !== undefined) events.push({ type: 'reasoning-proof', proof });
    if (isThought) return;
    if (text !== undefined) {
      events.push(...this.end(), { type: 'text', text });
      this.#offsets.add(text);
    }
    const call = field(part, 'functionCall');
    if (isObject(call)) this.#call(call, events);
    this.#runCode(part, events);
    const media = field(part, 'inlineData');
    if (isObject(media)) this.#media(media, events);
  }

  /** A call begins with its name; pieces of its arguments follow without, as long as it is said that they do. */
  #call(call: JsonObject, events: AnswerEvent[]): void {
    const name = textOf(call['name']);
    if (name !== undefined) {
      events.push(...this.end());
      const index = this.calls++;
      const callId = textOf(call['id']) ?? `call_${this.#answerId}_${index}`;
      events.push({ type: 'tool-call', index, callId, name });
      this.#openCall = { index, args: new CallArguments() };
    }
    const args = this.#openCall?.args;
    const given = call['args'];
    if (isObject(given)) args?.set(given);
    else if (typeof given === 'string') args?.set(objectOf(inputOf(given)));
    args?.add(field(call, 'partialArgs'));
    if (field(call, 'willContinue') !== true) events.push(...this.#endCall());
  }

  #endCall(): AnswerEvent[] {
    const open = this.#openCall;
    this.#openCall = undefined;
    return open === undefined
      ? []
      : [{ type: 'tool-arguments', index: open.index, text: jsonText(open.args.whole) }];
  }

  #runCode(part: JsonObject, events: AnswerEvent[]): void {
    const code = field(part, 'executableCode');
    const result = field(part, 'codeExecutionResult');
    if (isObject(code)) {
      events.push(...this.end());
      this.#code = readCode(code, `code_${this.#answerId}_${this.#codes++}`);
    }
    if (!isObject(result)) return;
    const call = this.#code ?? readCode(undefined, `code_${this.#answerId}_${this.#codes++}`);
    addCodeResult(call, result);
    this.#code = call;
    events.push(...this.#endCode());
  }

  #endCode(): AnswerEvent[] {
    const call = this.#code;
    this.#code = undefined;
    return call === undefined ? [] : [{ type: 'vendor-call', call }];
  }

  #media(media: JsonObject, events: AnswerEvent[]): void {
    const mediaType = textOf(field(media, 'mimeType')) ?? '';
    const data = textOf(media['data']);
    if (data === undefined) return;
    if (mediaType.startsWith('image/')) events.push({ type: 'image', mediaType, data });
    else if (mediaType.startsWith('audio/')) events.push({ type: 'audio', mediaType, data });
    else this.#lost.add('parts.inlineData');
  }
}

function logprobsOf(result: JsonObject): TokenLogprob[] {
  const top = listOf(field(result, 'topCandidates')).map(objectOf);
  return listOf(field(result, 'chosenCandidates')).map((chosen, position) => ({
    ...probabilityOf(chosen),
    top: listOf(top[position]?.['candidates']).map(probabilityOf),
  }));
}

function probabilityOf(value: unknown): TokenProbability {
  const candidate = objectOf(value);
  const logprob = numberOf(field(candidate, 'logProbability')) ?? 0;
  return { token: textOf(candidate['token']) ?? '', logprob };
}

import { newId } from '../../../model/new-id.ts';
import type { CallDelta, Delta, ListEntry, Logprobs, Piece } from './choice-writer.ts';

/** Adds up the pieces of a message. */
export class WholeMessage {
  logprobs: Logprobs | null = null;
  #content = '';
  #refusal = '';
  #reasoning = '';
  readonly #details: unknown[] = [];
  readonly #annotations: unknown[] = [];
  readonly #images: unknown[] = [];
  readonly #audio: Buffer[] = [];
  #audioId: string | undefined;
  readonly #calls = new Map<number, CallDelta>();

  add({ delta, logprobs }: Piece): void {
    this.#content += delta.content ?? '';
    this.#refusal += delta.refusal ?? '';
    this.#reasoning += delta.reasoning_content ?? '';
    this.#details.push(...entriesOf(delta.reasoning_details));
    this.#annotations.push(...entriesOf(delta.annotations));
    this.#images.push(...entriesOf(delta.images));
    this.#audioId ??= delta.audio?.id;
    if (delta.audio !== undefined) this.#audio.push(Buffer.from(delta.audio.data, 'base64'));
    for (const call of delta.tool_calls ?? []) this.#addCall(call);
    if (logprobs === undefined) return;
    this.logprobs ??= { content: [], refusal: null };
    for (const token of logprobs.content) this.logprobs.content.push(token);
  }

  get message(): Record<string, unknown> {
    const calls = [...this.#calls.values()].toSorted((one, other) => one.index - other.index);
    const isSilent = this.#content === '' && (calls.length > 0 || this.#refusal !== '' || this.#isHeard);
    return {
      role: 'assistant' satisfies Delta['role'],
      content: isSilent ? null : this.#content,
      refusal: this.#refusal === '' ? null : this.#refusal,
      ...(this.#reasoning !== '' && { reasoning_content: this.#reasoning }),
      ...(this.#details.length > 0 && { reasoning_details: this.#details }),
      ...(this.#annotations.length > 0 && { annotations: this.#annotations }),
      ...(this.#images.length > 0 && { images: this.#images }),
      ...(this.#isHeard && { audio: this.#sound }),
      ...(calls.length > 0 && { tool_calls: calls.map(wholeCall) }),
    };
  }

  get #isHeard(): boolean {
    return this.#audio.length > 0;
  }

  /** Pieces of base64 cannot be joined as text. What was said is in the content; nothing is kept under the id. */
  get #sound(): Record<string, unknown> {
    const data = Buffer.concat(this.#audio).toString('base64');
    return { id: this.#audioId ?? newId('audio_'), data, expires_at: 0, transcript: '' };
  }

  #addCall(call: CallDelta): void {
    const known = this.#calls.get(call.index);
    if (known === undefined) this.#calls.set(call.index, structuredClone(call));
    else if (known.function !== undefined) known.function.arguments += call.function?.arguments ?? '';
    else if (known.custom !== undefined) known.custom.input += call.custom?.input ?? '';
  }
}

/** An entry's place in a whole message is its index. */
function entriesOf(entries: readonly ListEntry[] = []): Record<string, unknown>[] {
  return entries.map(({ index: _index, ...entry }) => entry);
}

function wholeCall({ index: _index, ...call }: CallDelta): unknown {
  if (call.function === undefined) return call;
  const { arguments: text } = call.function;
  return { ...call, function: { ...call.function, arguments: text === '' ? '{}' : text } };
}

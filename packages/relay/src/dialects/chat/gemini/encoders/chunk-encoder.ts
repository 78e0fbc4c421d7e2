import type { ClientRequest } from '../../../../model/client-request.ts';
import type { ResponseEvent } from '../../../../model/conversation.ts';
import type { StreamEncoder } from '../../../../model/dialect.ts';
import { createId } from '../../../../model/ids.ts';
import type { Usage } from '../../../../model/usage.ts';
import { requestsThoughts } from '../thought-filter.ts';
import { writeUsage } from '../usage-report.ts';
import { CandidateWriter } from './candidate-writer.ts';

export function createStreamEncoder({ json }: ClientRequest): StreamEncoder {
  return new ChunkEncoder(requestsThoughts(json));
}

class ChunkEncoder implements StreamEncoder {
  #id = '';
  #model = '';
  #usage: Usage | undefined;
  readonly #candidates = new Map<number, CandidateWriter>();
  readonly #showsThoughts: boolean;

  constructor(showsThoughts: boolean) {
    this.#showsThoughts = showsThoughts;
  }

  push(event: ResponseEvent): string {
    if (event.type === 'start') {
      // Some upstreams start twice; the response keeps its first id.
      if (this.#id === '') this.#id = event.id === '' ? createId('') : event.id;
      if (this.#model === '') this.#model = event.model;
      return '';
    }
    if (event.type === 'usage') {
      this.#usage = event.usage;
      return '';
    }
    const index = event.choice ?? 0;
    const writer = this.#candidates.get(index) ?? new CandidateWriter(this.#showsThoughts);
    this.#candidates.set(index, writer);
    const piece = writer.push(event);
    if (piece === undefined) return '';
    return this.#chunk({ content: { parts: piece.parts, role: 'model' }, ...piece.members, index });
  }

  /** Ends the stream; nothing follows the last finish reason. */
  end(): string {
    return '';
  }

  #chunk(candidate: Record<string, unknown>): string {
    const chunk = {
      candidates: [candidate],
      ...(this.#usage !== undefined && { usageMetadata: writeUsage(this.#usage) }),
      modelVersion: this.#model,
      responseId: this.#id,
    };
    return `data: ${JSON.stringify(chunk)}\r\n\r\n`;
  }
}

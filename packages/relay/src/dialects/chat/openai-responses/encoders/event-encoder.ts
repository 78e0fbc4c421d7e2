import type { ClientRequest } from '../../../../model/client-request.ts';
import type { ResponseEvent } from '../../../../model/conversation.ts';
import type { StreamEncoder, UnsupportedFields } from '../../../../model/dialect.ts';
import type { OutputEvent } from './output-item.ts';
import { ResponseBuilder } from './response-builder.ts';

export function createStreamEncoder(request: ClientRequest, lost: UnsupportedFields): StreamEncoder {
  return new EventEncoder(request, lost);
}

/** Encoder that numbers the events of a response. The final response ends the stream. */
class EventEncoder implements StreamEncoder {
  readonly #builder: ResponseBuilder;
  #count = 0;

  constructor(request: ClientRequest, lost: UnsupportedFields) {
    this.#builder = new ResponseBuilder(request, lost);
  }

  get heldCharacters(): number {
    return this.#builder.heldCharacters;
  }

  push(event: ResponseEvent): string {
    return this.#written(this.#builder.push(event));
  }

  end(): string {
    return this.#written(this.#builder.end().events);
  }

  #written(events: readonly OutputEvent[]): string {
    let written = '';
    for (const { type, ...fields } of events) {
      const data = JSON.stringify({ type, sequence_number: this.#count, ...fields });
      this.#count++;
      written += `event: ${type}\ndata: ${data}\n\n`;
    }
    return written;
  }
}

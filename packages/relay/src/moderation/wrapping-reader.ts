import type { Meter } from '../model/dialect.ts';
import type { NextPoll, ResponseReader } from '../model/exchange.ts';

/** Around a reader whose bytes are changed on their way to the client. */
export abstract class WrappingReader implements ResponseReader {
  protected readonly answer: ResponseReader;

  constructor(answer: ResponseReader) {
    this.answer = answer;
  }

  get contentType(): string {
    return this.answer.contentType;
  }

  get meter(): Meter {
    return this.answer.meter;
  }

  get dropped(): readonly string[] {
    return this.answer.dropped;
  }

  nextPoll(): NextPoll | undefined {
    return this.answer.nextPoll?.();
  }

  get heldBytes(): number {
    return this.answer.heldBytes + this.ownBytes;
  }

  push(chunk: Buffer): Buffer {
    return this.change(this.answer.push(chunk), this.answer.meter.finished);
  }

  end(): Buffer {
    return this.change(this.answer.end(), true);
  }

  /** Bytes that are held here. */
  protected abstract readonly ownBytes: number;

  /** @param bytes whole events of a stream, or a part of a whole answer. @param isEnd nothing follows that says anything */
  protected abstract change(bytes: Buffer, isEnd: boolean): Buffer;
}

import type { Meter } from '../model/dialect.ts';
import type { NextPoll, ResponseReader } from '../model/upstream-exchange.ts';

/** Wrapper of a reader that changes its bytes on their way to the client. */
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

  translatePart(): boolean {
    return this.answer.translatePart?.() === true;
  }

  push(chunk: Buffer): Buffer {
    return this.change(this.answer.push(chunk), this.answer.meter.finished);
  }

  end(): Buffer {
    return this.change(this.answer.end(), true);
  }

  /** Bytes that the wrapper holds itself. */
  protected abstract readonly ownBytes: number;

  /**
   * @param bytes whole events of a stream, or a part of a non-streaming response. @param isEnd true if no content
   * follows
   */
  protected abstract change(bytes: Buffer, isEnd: boolean): Buffer;
}

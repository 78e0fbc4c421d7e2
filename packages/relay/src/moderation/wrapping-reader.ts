import { getUpstreamTasks } from '../exchange/task-polls-and-responses.ts';
import type { Meter } from '../model/dialect.ts';
import type { UpstreamDialectId } from '../model/dialect-id.ts';
import type { TaskUpdate } from '../model/task-types.ts';
import type { NextPoll, ResponseReader } from '../model/upstream-exchange.ts';
import { type ChangeTexts, changeFields } from './change-request-texts.ts';

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

/** Returns the update with changed texts; URLs are not changed. */
export function changeUpdateTexts(format: UpstreamDialectId, news: TaskUpdate, change: ChangeTexts): TaskUpdate {
  const changeWords: ChangeTexts = (texts) => (texts.every(isAddress) ? texts : change(texts));
  const works = news.works.map(({ text, title, ...work }) => ({
    ...work,
    ...changeFields({ ...(text !== undefined && { text }), ...(title !== undefined && { title }) }, changeWords),
  }));
  const { generatedTextField } = getUpstreamTasks(format);
  if (generatedTextField === undefined) return { ...news, works };
  const said = changeFields({ [generatedTextField]: news.said[generatedTextField] }, changeWords);
  return { ...news, works, said: { ...news.said, ...said } };
}

const isAddress = (text: string): boolean => /^https?:\/\/\S+$/.test(text);

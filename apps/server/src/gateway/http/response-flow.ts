/**
 * Passes one upstream response to the client. Holds back the bytes before the first content, so that a failure until
 * then can be retried on another channel, and the end until the charge is written. Unknown events may be content as
 * well: once there are more of them than an honest response begins with, they are delivered.
 */
import {
  type AcceptedTask,
  BytePieces,
  copyMeter,
  type Meter,
  type NextPoll,
  type ResponseReader,
  UpstreamError,
} from '@switchyard/relay';
import type { ClientResponse } from './client-response.ts';

export interface FlowOptions {
  stream: boolean;
  client: ClientResponse;
  /** Returns UTC ms, on the scale of the other times of the request. */
  now(): number;
  /** Returns whether the response may have reached its client by another way, through a tool at the provider. */
  mayReachClientOtherwise?: () => boolean;
  /** Called once, when the client gets the first content of a stream. */
  onDelivery(meter: Meter, firstContentAt: number): void;
}

/** Bytes of a response that are still to be sent: all of a non-streaming one, the last bytes of a stream. */
export interface LastBytes {
  contentType: string;
  body: Buffer;
}

/** Maximum bytes that are held back before the first content and at the end; an honest stream has a few hundred. */
const HELD_BACK_MAX_BYTES = 1_048_576;

export class ResponseFlow {
  /** True once the client has received content. */
  isDelivered = false;
  /** UTC ms of the first content; 0 before it. */
  firstContentAt = 0;
  readonly #reader: ResponseReader;
  readonly #options: FlowOptions;
  readonly #heldBack = new BytePieces();
  #heldBackBytes = 0;
  /** Bytes of a non-streaming response that is assembled from a stream. */
  #wholeBytes = 0;
  /** Bytes that were sent as content although the reader did not recognize them. */
  #unreadBytes = 0;
  /** Meter at the client's disconnect; set while the rest is drained to learn the usage. */
  #deliveredAtLeave: Meter | undefined;
  /** Meter of what was delivered of a stream whose end is invalid. */
  #deliveredAtEnd: Meter | undefined;

  constructor(reader: ResponseReader, options: FlowOptions) {
    this.#reader = reader;
    this.#options = options;
  }

  /** Returns a number that grows with the content of the response. */
  get progress(): number {
    return this.#reader.meter.deliveredCharacters + this.#unreadBytes;
  }

  /** Returns whether the upstream signalled its end, so that nothing more is expected. */
  get isFinished(): boolean {
    return this.#reader.meter.finished;
  }

  /** Returns whether the bytes after the end exceed what is held back. */
  get hasLongTail(): boolean {
    return this.isFinished && this.#heldBackBytes > HELD_BACK_MAX_BYTES;
  }

  /** Returns the memory of the response: in its reader, held back, and unsent. */
  get heldBytes(): number {
    return this.#reader.heldBytes + this.#heldBackBytes + this.#wholeBytes + this.#options.client.unsentBytes;
  }

  get acceptedTask(): AcceptedTask | undefined {
    return this.#reader.acceptedTask;
  }

  get unsupportedFields(): readonly string[] {
    return this.#reader.dropped;
  }

  get isDraining(): boolean {
    return this.#deliveredAtLeave !== undefined;
  }

  /**
   * Returns the billed meter: after a disconnect, drained bytes count only if they complete the response with a usage
   * report, or may have reached the client otherwise.
   */
  get billedMeter(): Meter {
    const { meter } = this.#reader;
    const isComplete = meter.finished && meter.usage !== undefined;
    return isComplete || this.#options.mayReachClientOtherwise?.() === true
      ? meter
      : (this.#deliveredAtLeave ?? this.#deliveredAtEnd ?? meter);
  }

  /** @returns false when the caller should wait for the client. @throws UpstreamError */
  push(chunk: Buffer): boolean {
    const { stream } = this.#options;
    const bytes = this.#reader.push(chunk);
    if (this.firstContentAt === 0 && (this.progress > 0 || !stream)) this.firstContentAt = this.#options.now();
    if (bytes.length === 0 || this.isDraining) return true;
    // A non-streaming response that is assembled from a stream is complete when the stream ends, which may be before
    // the connection does.
    if (!stream) {
      this.#wholeBytes += bytes.length;
      this.#heldBack.push(bytes);
      return true;
    }
    if (this.isFinished || this.firstContentAt === 0) return this.#holdBack(bytes);
    if (this.#unreadBytes > 0) this.#unreadBytes += countEventBytes(bytes);
    return this.#send(bytes);
  }

  /** Switches to draining after the client's disconnect: only the usage matters from then on. */
  drain(): void {
    this.#deliveredAtLeave = copyMeter(this.#reader.meter);
    this.#heldBack.clear();
    this.#heldBackBytes = 0;
    this.#wholeBytes = 0;
  }

  /** Returns the next poll request if the response is not ready. @throws UpstreamError */
  nextPoll(): NextPoll | undefined {
    return this.#reader.nextPoll?.();
  }

  /** Translates the next part of a large response; returns whether more remain. @throws UpstreamError */
  translatePart(): boolean {
    return this.#reader.translatePart?.() === true;
  }

  /** Handles the upstream's end. @throws UpstreamError when the response is invalid */
  end(): LastBytes {
    const { meter } = this.#reader;
    const { deliveredCharacters, deliveredWideCharacters, deliveredBinaryCharacters, deliveredImages, endedChoices } =
      meter;
    try {
      this.#heldBack.push(this.#reader.end());
    } catch (error) {
      // The client gets nothing of a last event that the upstream broke off.
      const delivered = { deliveredCharacters, deliveredWideCharacters, deliveredBinaryCharacters, deliveredImages };
      const deliveredSample = meter.deliveredSample.slice(0, deliveredCharacters);
      if (this.isDelivered) this.#deliveredAtEnd = { ...copyMeter(meter), ...delivered, endedChoices, deliveredSample };
      throw error;
    }
    return { contentType: this.#reader.contentType, body: this.#heldBack.whole() };
  }

  #holdBack(bytes: Buffer): boolean {
    this.#heldBack.push(bytes);
    this.#heldBackBytes += bytes.length;
    if (this.#heldBackBytes <= HELD_BACK_MAX_BYTES || this.isFinished) return true;
    const unread = countEventBytes(this.#heldBack.whole());
    if (unread * 2 < this.#heldBackBytes)
      throw new UpstreamError('garbled', 'The upstream sent a stream without content', { status: 200 });
    this.firstContentAt = this.#options.now();
    this.#unreadBytes = unread;
    return this.#send();
  }

  /** Sends the held-back bytes, and then these. */
  #send(bytes?: Buffer): boolean {
    const { client } = this.#options;
    const { contentType, meter } = this.#reader;
    if (!this.isDelivered) this.#options.onDelivery(meter, this.firstContentAt);
    this.isDelivered = true;
    let isReady = true;
    if (this.#heldBackBytes > 0) {
      isReady = client.write(contentType, this.#heldBack.whole());
      this.#heldBack.clear();
      this.#heldBackBytes = 0;
    }
    return bytes === undefined ? isReady : client.write(contentType, bytes);
  }
}

/** Beginning of an event, or of an element of an array, that is an object with members. */
const contentBeginning = /^(?:data:|\[(?=\{)|,(?=\{))\s*\{\s*"/;

/** Returns the size of the events with content; comments, empty events and other data count as silence. */
function countEventBytes(events: Buffer): number {
  const lines = events.toString('latin1').split('\n');
  return lines.reduce((sum, line) => sum + (contentBeginning.test(line) ? line.length : 0), 0);
}

/**
 * One upstream answer on its way to the client. What comes before the first content is held back, so that a failure up
 * to then can be tried on another channel; so is the end, which waits until the charge is written. Events of an unknown
 * kind may be content as well: when there are more of them than precede an honest answer, they are delivered.
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
import type { Clock } from '../../platform/clock.ts';
import type { ClientResponse } from './client-response.ts';

export interface FlowOptions {
  stream: boolean;
  client: ClientResponse;
  clock: Clock;
  /** Called once, when the client gets the first content of a stream. */
  onDelivery(meter: Meter, firstContentAt: number): void;
}

/** Bytes of a response that are still to be sent: all of a non-streaming one, the last bytes of a stream. */
export interface LastBytes {
  contentType: string;
  body: Buffer;
}

/** Maximum bytes that are held back before the first content and after the end; an honest stream has a few hundred. */
const HELD_BACK_MAX_BYTES = 1_048_576;

export class ResponseFlow {
  /** The client has got content. */
  isDelivered = false;
  /** UTC ms at which the first content arrived; 0 as long as none did. */
  firstContentAt = 0;
  readonly #reader: ResponseReader;
  readonly #options: FlowOptions;
  readonly #heldBack = new BytePieces();
  #heldBackBytes = 0;
  /** Bytes of a whole response that is made of a stream. */
  #wholeBytes = 0;
  /** Sent as content although nobody could read it. */
  #unreadBytes = 0;
  /** Meter of what the client had received when it left, while the rest is drained to learn the usage. */
  #deliveredAtLeave: Meter | undefined;

  constructor(reader: ResponseReader, options: FlowOptions) {
    this.#reader = reader;
    this.#options = options;
  }

  /** Grows with the content of the answer. */
  get progress(): number {
    return this.#reader.meter.deliveredCharacters + this.#unreadBytes;
  }

  /** The upstream said that it ended; nothing more is to be expected. */
  get isFinished(): boolean {
    return this.#reader.meter.finished;
  }

  /** More follows the end than is worth holding. */
  get hasLongTail(): boolean {
    return this.isFinished && this.#heldBackBytes > HELD_BACK_MAX_BYTES;
  }

  /** Memory that the response takes: in its reader, held back, and not yet taken by the client. */
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
   * Returns the meter that is billed: after the client has left, what was drained counts only as a report of the
   * whole response.
   */
  get billedMeter(): Meter {
    const { meter } = this.#reader;
    if (this.#deliveredAtLeave === undefined || (meter.finished && meter.usage !== undefined)) return meter;
    return this.#deliveredAtLeave;
  }

  /** @returns false when the client should be waited for. @throws UpstreamError */
  push(chunk: Buffer): boolean {
    const { stream, clock } = this.#options;
    const bytes = this.#reader.push(chunk);
    if (this.firstContentAt === 0 && (this.progress > 0 || !stream)) this.firstContentAt = clock.now();
    if (bytes.length === 0 || this.isDraining) return true;
    // Whole as it is: made of a stream, it comes with the stream's end, and not with that of the connection.
    if (!stream) {
      this.#wholeBytes += bytes.length;
      this.#heldBack.push(bytes);
      return true;
    }
    if (this.isFinished || this.firstContentAt === 0) return this.#holdBack(bytes);
    if (this.#unreadBytes > 0) this.#unreadBytes += countEventBytes(bytes);
    return this.#send(bytes);
  }

  /** The client left: from now on only the usage matters. */
  drain(): void {
    this.#deliveredAtLeave = copyMeter(this.#reader.meter);
    this.#heldBack.clear();
    this.#heldBackBytes = 0;
    this.#wholeBytes = 0;
  }

  /** Returns the request to send next if the response is not ready. @throws UpstreamError */
  nextPoll(): NextPoll | undefined {
    return this.#reader.nextPoll?.();
  }

  /** The upstream ended. @throws UpstreamError when the answer is none */
  end(): LastBytes {
    const last = this.#reader.end();
    this.#heldBack.push(last);
    return { contentType: this.#reader.contentType, body: this.#heldBack.whole() };
  }

  #holdBack(bytes: Buffer): boolean {
    this.#heldBack.push(bytes);
    this.#heldBackBytes += bytes.length;
    if (this.#heldBackBytes <= HELD_BACK_MAX_BYTES || this.isFinished) return true;
    const unread = countEventBytes(this.#heldBack.whole());
    if (unread * 2 < this.#heldBackBytes)
      throw new UpstreamError('garbled', 'The upstream sent a stream without content', { status: 200 });
    this.firstContentAt = this.#options.clock.now();
    this.#unreadBytes = unread;
    return this.#send();
  }

  /** Sends what was held back, and then these bytes. */
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

/** Returns the bytes of the events that carry JSON; comments, empty events and garbage count as silence. */
function countEventBytes(events: Buffer): number {
  const lines = events.toString('latin1').split('\n');
  return lines.reduce((sum, line) => sum + (hasContent(line) ? line.length : 0), 0);
}

/** Beginning of an event, or of an element of an array. */
const eventPrefix = /^(?:data:|\[(?=\{)|,(?=\{))/;

function hasContent(line: string): boolean {
  const [prefix] = eventPrefix.exec(line) ?? [];
  if (prefix === undefined) return false;
  try {
    const event: unknown = JSON.parse(line.slice(prefix.length));
    return typeof event === 'object' && event !== null && Object.keys(event).length > 0;
  } catch {
    return false;
  }
}

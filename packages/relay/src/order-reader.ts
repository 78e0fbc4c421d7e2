import type { AnswerReader } from './exchange.ts';
import type { UpstreamFormatId } from './format-id.ts';
import { Tally } from './meter.ts';
import { noBytes } from './no-bytes.ts';
import type { Target } from './provider.ts';
import type { Order, UpstreamOrders } from './tasks.ts';
import { WholeBody } from './whole-body.ts';

/** Reads the answer to an order. What the client is told is written once the task has a name of ours. */
export class OrderReader implements AnswerReader {
  readonly contentType = 'application/json';
  readonly meter = new Tally();
  readonly dropped = [];
  order: Order | undefined;
  readonly #body = new WholeBody();
  readonly #format: UpstreamFormatId;
  readonly #orders: UpstreamOrders;
  readonly #path: string;
  readonly #target: Target;

  constructor(format: UpstreamFormatId, orders: UpstreamOrders, path: string, target: Target) {
    this.#format = format;
    this.#orders = orders;
    this.#path = path;
    this.#target = target;
  }

  push(chunk: Buffer): Buffer {
    this.#body.push(chunk);
    return noBytes;
  }

  end(): Buffer {
    this.order = {
      ...this.#orders.taken(this.#body.read(this.#target).json, this.#path),
      format: this.#format,
    };
    this.meter.finished = true;
    return noBytes;
  }
}

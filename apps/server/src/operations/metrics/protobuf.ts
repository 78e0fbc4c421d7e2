/** Messages as protobuf's wire format has them. https://protobuf.dev/programming-guides/encoding/ */

const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;
const FIXED32 = 5;

export class Message {
  readonly #parts: Buffer[] = [];

  bytes(): Buffer {
    return Buffer.concat(this.#parts);
  }

  message(field: number, message: Message): this {
    return this.#delimited(field, message.bytes());
  }

  messages(field: number, messages: readonly Message[]): this {
    for (const message of messages) this.message(field, message);
    return this;
  }

  text(field: number, text: string): this {
    return this.#delimited(field, Buffer.from(text));
  }

  hex(field: number, digits: string): this {
    return this.#delimited(field, Buffer.from(digits, 'hex'));
  }

  /** A whole number that is not negative. */
  varint(field: number, value: number): this {
    this.#parts.push(varint((field << 3) | VARINT), varint(value));
    return this;
  }

  fixed64(field: number, value: bigint): this {
    this.#parts.push(varint((field << 3) | FIXED64), fixed64(value));
    return this;
  }

  fixed32(field: number, value: number): this {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32LE(value);
    this.#parts.push(varint((field << 3) | FIXED32), bytes);
    return this;
  }

  double(field: number, value: number): this {
    this.#parts.push(varint((field << 3) | FIXED64), double(value));
    return this;
  }

  packedFixed64(field: number, values: readonly number[]): this {
    return this.#delimited(field, Buffer.concat(values.map((value) => fixed64(BigInt(value)))));
  }

  packedDouble(field: number, values: readonly number[]): this {
    return this.#delimited(field, Buffer.concat(values.map(double)));
  }

  #delimited(field: number, bytes: Buffer): this {
    this.#parts.push(varint((field << 3) | BYTES), varint(bytes.length), bytes);
    return this;
  }
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = BigInt(value);
  while (rest > 127n) {
    bytes.push(Number(rest & 127n) | 128);
    rest >>= 7n;
  }
  bytes.push(Number(rest));
  return Buffer.from(bytes);
}

function fixed64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
}

function double(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return bytes;
}

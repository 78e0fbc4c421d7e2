/** Types of the used part of `ws`, which ships none. https://github.com/websockets/ws/blob/master/doc/ws.md */
declare module 'ws' {
  import type { EventEmitter } from 'node:events';
  import type { IncomingMessage } from 'node:http';
  import type { Duplex } from 'node:stream';

  export interface FrameOptions {
    /** Maximum bytes of a message. */
    maxPayload?: number;
    perMessageDeflate?: boolean;
    autoPong?: boolean;
    /** Maximum pending pongs that the other side has not read. */
    maxPendingAutoPongs?: number;
    allowSynchronousEvents?: boolean;
    /** Milliseconds to wait for the other side's close frame. */
    closeTimeout?: number;
    maxFragments?: number;
    maxBufferedChunks?: number;
  }

  export interface ClientOptions extends FrameOptions {
    headers?: Readonly<Record<string, string>>;
    createConnection?(): Duplex;
  }

  export interface ServerOptions extends FrameOptions {
    noServer: true;
    clientTracking?: boolean;
    handleProtocols?(protocols: ReadonlySet<string>, request: IncomingMessage): string | false;
  }

  export class WebSocket extends EventEmitter {
    /** Connects; with `null` for an address, `setSocket` provides the connection. */
    constructor(address: string | null, protocols?: string | readonly string[], options?: ClientOptions);
    readonly bufferedAmount: number;
    /** Extensions that both sides have agreed on, for instance compression. */
    readonly extensions: string;
    readonly isPaused: boolean;
    readonly protocol: string;
    /** 0 connecting, 1 open, 2 closing, 3 closed. */
    readonly readyState: 0 | 1 | 2 | 3;
    setSocket(socket: Duplex, head: Buffer, options: FrameOptions): void;
    /** @param options `fin: false` if more of the message follows */
    send(data: Buffer | string, options?: { binary: boolean; fin?: boolean }, done?: (error?: Error) => void): void;
    ping(): void;
    pause(): void;
    resume(): void;
    close(code?: number, reason?: string): void;
    terminate(): void;
    on(event: 'message', listener: (data: Buffer, isBinary: boolean) => void): this;
    on(event: 'close', listener: (code: number, reason: Buffer) => void): this;
    on(event: 'error', listener: (error: Error) => void): this;
    on(event: 'ping' | 'pong' | 'open', listener: () => void): this;
    /** Emitted with the server's upgrade response. */
    once(event: 'upgrade', listener: (response: IncomingMessage) => void): this;
    /**
     * Emitted when the server refused the upgrade; with a listener, the connection stays open until the listener
     * closes it.
     */
    once(event: 'unexpected-response', listener: (request: unknown, response: IncomingMessage) => void): this;
  }

  export class WebSocketServer extends EventEmitter {
    constructor(options: ServerOptions);
    handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer, done: (client: WebSocket) => void): void;
    on(event: 'headers', listener: (headers: string[]) => void): this;
  }
}

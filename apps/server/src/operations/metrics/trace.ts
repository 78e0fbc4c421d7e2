/** Assignment of requests to traces: https://www.w3.org/TR/trace-context */
import { randomBytes } from 'node:crypto';

export interface TraceContext {
  /** 32 hexadecimal digits. */
  traceId: string;
  /** 16 hexadecimal digits, of the span that is open. */
  spanId: string;
  /** Span id of the caller. */
  parentId: string | undefined;
}

/** Span of a request, or of a call that was made for it. Never holds content of prompts or responses. */
export interface Span extends TraceContext {
  name: string;
  kind: 'server' | 'client';
  /** UTC ms. */
  startedAt: number;
  endedAt: number;
  /** Attributes of the span; undefined ones are left out. */
  attributes: Readonly<Record<string, string | number | boolean | undefined>>;
  isError: boolean;
}

export interface Tracing {
  /** @returns undefined for a request of which no trace is wanted */
  begin(traceparent: string | string[] | undefined): TraceContext | undefined;
  /** Never throws, and waits for nothing. */
  end(span: Span): void;
  /** Returns whether the upstream at this address may receive trace headers. */
  shouldPropagateTo(url: string): boolean;
}

const header = /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(?:-.*)?$/;
const SAMPLED = 1;

/**
 * A client may say that it wants no trace; that it wants one decides nothing, or clients could have all of theirs.
 * @param ratio of traces that are wanted, 0 to 1
 */
export function createTraceContext(
  traceparent: string | string[] | undefined,
  ratio: number,
): TraceContext | undefined {
  const [, known, parentId, flags = '01'] = header.exec(String(traceparent ?? '')) ?? [];
  if ((Number.parseInt(flags, 16) & SAMPLED) === 0) return undefined;
  const traceId = known ?? randomBytes(16).toString('hex');
  return isSampled(traceId, ratio) ? { traceId, spanId: newSpanId(), parentId } : undefined;
}

/** Returns whether a trace is sampled. Decides by its id, so that all participants of a trace decide alike. */
function isSampled(traceId: string, ratio: number): boolean {
  return ratio > 0 && Number.parseInt(traceId.slice(-8), 16) / 0xffffffff <= ratio;
}

export function newSpanId(): string {
  return randomBytes(8).toString('hex');
}

/** @param spanId of the call that it is sent with */
export function formatTraceparent({ traceId }: TraceContext, spanId: string): string {
  return `00-${traceId}-${spanId}-01`;
}

/** Assigns requests to traces: https://www.w3.org/TR/trace-context */
import { randomBytes } from 'node:crypto';
import type { Vault } from '../../platform/secrets/vault.ts';

export interface TraceContext {
  /** 32 hexadecimal digits. */
  traceId: string;
  /** 16 hexadecimal digits, of the open span. */
  spanId: string;
  /** Span id of the caller. */
  parentId: string | undefined;
}

/** Span of a request, or of a call that was made for it. Never contains prompts or responses. */
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
  /** @returns undefined for a request that is not traced */
  begin(traceparent: string | string[] | undefined): TraceContext | undefined;
  /** Records the span; never throws or blocks. */
  end(span: Span): void;
  /** Returns whether the upstream at this address may receive trace headers. */
  shouldPropagateTo(url: string): boolean;
}

const header = /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(?:-.*)?$/;
const SAMPLED = 1;

/**
 * Creates the trace context of a request. A client may opt out by its sampled flag, but cannot opt in, or all of its
 * requests could be traced.
 * @param ratio share of sampled traces, 0 to 1
 * @param vault secret of the installation, without which a client could choose an id that is always sampled
 */
export function createTraceContext(
  traceparent: string | string[] | undefined,
  ratio: number,
  vault: Pick<Vault, 'fingerprint'>,
): TraceContext | undefined {
  const [, known, parentId, flags = '01'] = header.exec(String(traceparent ?? '')) ?? [];
  if ((Number.parseInt(flags, 16) & SAMPLED) === 0) return undefined;
  const traceId = known ?? randomBytes(16).toString('hex');
  return isSampled(traceId, ratio, vault) ? { traceId, spanId: newSpanId(), parentId } : undefined;
}

/** Returns whether a trace is sampled. Decides by its id, so that all nodes decide alike. */
function isSampled(traceId: string, ratio: number, vault: Pick<Vault, 'fingerprint'>): boolean {
  const hash = Buffer.from(vault.fingerprint(`trace:${traceId}`), 'base64url');
  return hash.readUInt32BE() / 2 ** 32 < ratio;
}

export function newSpanId(): string {
  return randomBytes(8).toString('hex');
}

/** @param spanId span of the call that carries the header */
export function formatTraceparent({ traceId }: TraceContext, spanId: string): string {
  return `00-${traceId}-${spanId}-01`;
}

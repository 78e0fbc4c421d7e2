export type ToastKind = 'error' | 'warning' | 'success' | 'info';

/** Display times in milliseconds. Tests prolong them. */
export const toastDurations: Record<ToastKind, number> = { error: 5000, warning: 10_000, success: 1500, info: 3000 };
/** Long enough to read the toast and reach its button. */
const UNDO_MS = 8000;
const MOST = 3;

export interface ToastOptions {
  /** Second line, for instance the request id. */
  detail?: string | undefined;
  undo?: (() => void) | undefined;
}

export interface Toast extends ToastOptions {
  id: number;
  kind: ToastKind;
  message: string;
  /** Display time in milliseconds. */
  duration: number;
}

let shown: readonly Toast[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

function show(next: readonly Toast[]): void {
  shown = next;
  for (const listener of listeners) listener();
}

/** Shows a toast; at most three at a time, and each text only once. */
export function notify(kind: ToastKind, message: string, options: ToastOptions = {}): void {
  lastId += 1;
  const duration = options.undo === undefined ? toastDurations[kind] : UNDO_MS;
  const others = shown.filter((notice) => notice.message !== message || notice.kind !== kind);
  show([...others, { id: lastId, kind, message, duration, ...options }].slice(-MOST));
}

export function dismissToast(id: number): void {
  show(shown.filter((notice) => notice.id !== id));
}

export function currentToasts(): readonly Toast[] {
  return shown;
}

export function subscribeToasts(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

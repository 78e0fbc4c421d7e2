/** Connection failures for lack of a resource of this process: no server is at fault. */
import { DnsQueueTimeoutError } from './system-resolver.ts';

const descriptorCodes: ReadonlySet<unknown> = new Set(['EMFILE', 'ENFILE']);

/** Returns whether the process, or the machine, has no descriptor left for a connection or a file. */
export function isDescriptorShortage(error: unknown): boolean {
  return error instanceof Error && 'code' in error && descriptorCodes.has(error.code);
}

/** Returns whether this process could not connect for lack of a descriptor, or of a thread that resolves the name. */
export function isLocalResourceShortage(error: unknown): boolean {
  return isDescriptorShortage(error) || error instanceof DnsQueueTimeoutError;
}

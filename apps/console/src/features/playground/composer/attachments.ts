import type { OutputKind } from '@switchyard/contract/playground/conversation';
import { readAsDataUrl } from '../../../ui/actions/file-buttons.tsx';

const MEGABYTE = 1_048_576;
const imageTypes = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'];
/** Audio types that models accept in a chat: https://platform.openai.com/docs/guides/audio */
const soundTypes = ['audio/wav', 'audio/mpeg'];
/** Other names that operating systems use for the audio types. */
const otherNames: Readonly<Record<string, string>> = {
  'audio/x-wav': 'audio/wav',
  'audio/wave': 'audio/wav',
  'audio/vnd.wave': 'audio/wav',
  'audio/mp3': 'audio/mpeg',
};
const recording = /^(?:audio\/[\w.+-]+|video\/(?:mp4|webm))$/;

/** Image, document or recording. */
export interface Attachment {
  name: string;
  /** Data URL. */
  data: string;
}
export const isPicture = ({ data }: Attachment): boolean => data.startsWith('data:image/');

/** Limits for the attachments of a question. */
export interface Limits {
  most: number;
  megabytes: number;
  /** Media types for the file picker; undefined for every file. */
  accept: string | undefined;
  refused: Refusal;
}

export const limitsOf: Readonly<Record<OutputKind, Limits | undefined>> = {
  text: { most: 4, megabytes: 5, accept: undefined, refused: 'notAttachable' },
  pictures: undefined,
  speech: undefined,
  // https://platform.openai.com/docs/guides/speech-to-text
  transcript: { most: 1, megabytes: 25, accept: 'audio/*,video/mp4,video/webm', refused: 'notARecording' },
};

export type Refusal = 'notAttachable' | 'notARecording' | 'fileTooLarge' | 'tooManyFiles';

/**
 * Reads a file, or returns the reason why it cannot be attached.
 * @throws Error when the file cannot be read, for instance after it was moved
 */
export async function readAttachment(file: File, { megabytes, refused }: Limits): Promise<Attachment | Refusal> {
  if (file.size > megabytes * MEGABYTE) return 'fileTooLarge';
  const type = typeOf(file);
  if (refused === 'notARecording' && !recording.test(type)) return refused;
  const base64 = await base64Of(file);
  const kind = refused === 'notARecording' ? type : typeForModel(type, base64);
  if (kind === undefined) return refused;
  return { name: file.name.slice(0, 255) || '?', data: `data:${kind};base64,${base64}` };
}

/** Returns the media type for the model. Files other than images, PDF and audio must be valid text. */
function typeForModel(type: string, base64: string): string | undefined {
  if ([...imageTypes, ...soundTypes, 'application/pdf'].includes(type)) return type;
  return textIn(base64) === undefined ? undefined : 'text/plain';
}

function typeOf({ type }: File): string {
  const [essence = ''] = type.split(';');
  return otherNames[essence] ?? essence;
}

async function base64Of(file: Blob): Promise<string> {
  const address = await readAsDataUrl(file);
  return address.slice(address.indexOf(',') + 1);
}

export function bytesIn(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

/** Returns the decoded text; undefined for binary data. */
export function textIn(base64: string): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytesIn(base64));
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}

export function partsOf(dataUrl: string): { type: string; base64: string } {
  const [, type = '', base64 = ''] = /^data:([^;]+);base64,(.*)$/.exec(dataUrl) ?? [];
  return { type, base64 };
}

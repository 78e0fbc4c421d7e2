type Kind = 'image' | 'document' | 'video' | 'audio';

/** The vendor's names of the media formats that it reads; any other `text/…` is sent as plain text. */
const formats: ReadonlyMap<string, readonly [Kind, string]> = new Map([
  ['image/png', ['image', 'png']],
  ['image/jpeg', ['image', 'jpeg']],
  ['image/jpg', ['image', 'jpeg']],
  ['image/gif', ['image', 'gif']],
  ['image/webp', ['image', 'webp']],
  ['application/pdf', ['document', 'pdf']],
  ['application/msword', ['document', 'doc']],
  ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', ['document', 'docx']],
  ['application/vnd.ms-excel', ['document', 'xls']],
  ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', ['document', 'xlsx']],
  ['text/csv', ['document', 'csv']],
  ['text/html', ['document', 'html']],
  ['text/markdown', ['document', 'md']],
  ['application/json', ['document', 'txt']],
  ['video/mp4', ['video', 'mp4']],
  ['video/quicktime', ['video', 'mov']],
  ['video/webm', ['video', 'webm']],
  ['video/x-matroska', ['video', 'mkv']],
  ['video/mpeg', ['video', 'mpeg']],
  ['video/3gpp', ['video', 'three_gp']],
  ['audio/mpeg', ['audio', 'mp3']],
  ['audio/mp3', ['audio', 'mp3']],
  ['audio/wav', ['audio', 'wav']],
  ['audio/x-wav', ['audio', 'wav']],
  ['audio/flac', ['audio', 'flac']],
  ['audio/ogg', ['audio', 'ogg']],
  ['audio/aac', ['audio', 'aac']],
  ['audio/mp4', ['audio', 'm4a']],
] satisfies (readonly [string, readonly [Kind, string]])[]);

export function mediaFormat(mediaType: string): readonly [Kind, string] | undefined {
  const type = mediaType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  return formats.get(type) ?? (type.startsWith('text/') ? ['document', 'txt'] : undefined);
}

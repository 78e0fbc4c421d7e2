const SAMPLES_PER_SECOND = 8_000;
const SAMPLE_BYTES = 2;
const HEAD_BYTES = 44;
const PCM = 1;

/**
 * Returns a WAV file with one second of silence: vendors refuse less than a tenth.
 * http://soundfile.sapp.org/doc/WaveFormat
 */
export function createSilentAudio(): Buffer {
  const dataBytes = SAMPLES_PER_SECOND * SAMPLE_BYTES;
  const file = Buffer.alloc(HEAD_BYTES + dataBytes);
  file.write('RIFF', 0, 'latin1');
  file.writeUInt32LE(file.length - 8, 4);
  file.write('WAVEfmt ', 8, 'latin1');
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(PCM, 20);
  file.writeUInt16LE(1, 22);
  file.writeUInt32LE(SAMPLES_PER_SECOND, 24);
  file.writeUInt32LE(dataBytes, 28);
  file.writeUInt16LE(SAMPLE_BYTES, 32);
  file.writeUInt16LE(SAMPLE_BYTES * 8, 34);
  file.write('data', 36, 'latin1');
  file.writeUInt32LE(dataBytes, 40);
  return file;
}

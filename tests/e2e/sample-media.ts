/** An image, audio and a video that a browser can play. */
import { crc32, deflateSync } from 'node:zlib';
import type { Browser } from 'playwright-core';

const SIDE = 64;
const SAMPLES_PER_SECOND = 8_000;

function chunk(name: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}

/** Red to blue, 64 pixels wide. https://www.w3.org/TR/png-3/ */
export const SAMPLE_PNG: Buffer = Buffer.concat([
  Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
  chunk('IHDR', Buffer.from([0, 0, 0, SIDE, 0, 0, 0, SIDE, 8, 2, 0, 0, 0])),
  chunk(
    'IDAT',
    deflateSync(
      Buffer.concat(
        Array.from({ length: SIDE }, (_row, y) =>
          Buffer.from([0, ...Array.from({ length: SIDE }, (_, x) => [255 - 3 * x, 2 * y, 3 * x]).flat()]),
        ),
      ),
    ),
  ),
  chunk('IEND', Buffer.alloc(0)),
]);

/** A second of a low tone. */
export const SAMPLE_WAV: Buffer = (() => {
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + SAMPLES_PER_SECOND, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(SAMPLES_PER_SECOND, 24);
  head.writeUInt32LE(SAMPLES_PER_SECOND, 28);
  head.writeUInt16LE(1, 32);
  head.writeUInt16LE(8, 34);
  head.write('data', 36);
  head.writeUInt32LE(SAMPLES_PER_SECOND, 40);
  const tone = Array.from({ length: SAMPLES_PER_SECOND }, (_, at) => 128 + Math.round(40 * Math.sin(at / 6)));
  return Buffer.concat([head, Buffer.from(tone)]);
})();

/** A second of a square that changes its colour, recorded by the browser itself. */
export async function recordVideo(browser: Browser): Promise<Buffer> {
  const page = await browser.newPage();
  const base64 = await page.evaluate(async () => {
    const canvas = document.createElement('canvas');
    canvas.width = 64;
    canvas.height = 64;
    const brush = canvas.getContext('2d');
    const recorder = new MediaRecorder(canvas.captureStream(20), { mimeType: 'video/webm' });
    const pieces: Blob[] = [];
    recorder.ondataavailable = ({ data }) => pieces.push(data);
    const ended = new Promise((resolve) => {
      recorder.onstop = resolve;
    });
    recorder.start();
    for (let frame = 0; frame < 20; frame += 1) {
      if (brush !== null) brush.fillStyle = `rgb(${frame * 12}, 80, 160)`;
      brush?.fillRect(0, 0, 64, 64);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    recorder.stop();
    await ended;
    const bytes = new Uint8Array(await new Blob(pieces).arrayBuffer());
    return btoa(Array.from(bytes, (byte) => String.fromCodePoint(byte)).join(''));
  });
  await page.close();
  return Buffer.from(base64, 'base64');
}

import { DiskFullError } from '../platform/disk-space.ts';
import { FILE_MAX_BYTES, type FileWriter } from './batch-files.ts';
import type { PreparedLine } from './batch-relay-interface.ts';

/** Input file for a vendor's batch. */
export class VendorInputFile {
  /** URL of all lines; undefined when there are none or they differ. */
  url: string | undefined;
  /**
   * True if the next line exceeds the size that a vendor, or the disk, accepts. Earlier responses that lines continue
   * can make this file far larger than the input file.
   */
  isFull = false;
  #isMixed = false;
  #written: Promise<void> = Promise.resolve();
  readonly #file: FileWriter;

  constructor(file: FileWriter) {
    this.#file = file;
  }

  add(custom_id: string, { url, body }: Extract<PreparedLine, { url: string }>): Promise<void> {
    this.#isMixed ||= this.url !== undefined && this.url !== url;
    this.url = url;
    // Line breaks within JSON are insignificant, but would end a line here.
    const json = body.replaceAll(/[\r\n]+/g, ' ');
    const line = `${JSON.stringify({ custom_id, method: 'POST', url }).slice(0, -1)},"body":${json}}\n`;
    this.#written = this.#written.then(() => {
      this.isFull ||= this.#file.bytes + Buffer.byteLength(line) > FILE_MAX_BYTES;
      return this.isFull ? undefined : this.#write(line);
    });
    return this.#written;
  }

  async #write(line: string): Promise<void> {
    try {
      await this.#file.write(line);
    } catch (error) {
      if (!(error instanceof DiskFullError)) throw error;
      this.isFull = true;
    }
  }

  async close(): Promise<void> {
    if (this.#isMixed || this.isFull) this.url = undefined;
    await this.#file.close();
  }

  discard(): Promise<void> {
    return this.#file.discard();
  }
}

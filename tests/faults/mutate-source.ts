/**
 * Loaded before a program (`node --import`): changes one source file when it is read. `MUTATION` is JSON with the
 * file's path, the text, and its replacement.
 */
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

const [path, text, mistake]: [string, string, string] = JSON.parse(process.env['MUTATION'] ?? '["","",""]');

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!url.endsWith(path)) return loaded;
    const source = readFileSync(fileURLToPath(url), 'utf8').replace(text, () => mistake);
    return { ...loaded, source };
  },
});

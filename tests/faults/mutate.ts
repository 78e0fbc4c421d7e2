/**
 * Loaded before a program (`node --import`): one source file is read with a mistake in it. `MUTATION` is
 * JSON of the file's path, the text, and what stands there instead.
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

import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, realpathSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');

/**
 * Writes the files of a commit into a new folder, with the installed libraries, so that its product runs
 * beside that of the present commit.
 * @returns false if the history on this machine lacks the commit
 */
export function extractCommit(commit: string, folder: string): boolean {
  mkdirSync(folder);
  try {
    const archive = execFileSync('git', ['archive', '--format=tar', commit], {
      cwd: ROOT,
      maxBuffer: 2 ** 30,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    execFileSync('tar', ['-x', '-C', folder], { input: archive });
  } catch {
    return false;
  }
  linkEntries(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return true;
}

/** Links every package, except the project's own, which are those of the folder. */
function linkEntries(from: string, to: string): void {
  mkdirSync(to);
  for (const name of readdirSync(from)) {
    if (name !== '@switchyard') symlinkSync(realpathSync(join(from, name)), join(to, name));
  }
  const own = readdirSync(join(from, '@switchyard'));
  mkdirSync(join(to, '@switchyard'));
  for (const name of own) {
    const path = realpathSync(join(from, '@switchyard', name)).slice(ROOT.length + 1);
    symlinkSync(join('../..', path), join(to, '@switchyard', name));
  }
}

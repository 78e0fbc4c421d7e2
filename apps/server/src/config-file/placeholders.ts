/** `${env:NAME}` and `${file:/path}` in a configuration file: where a secret is, instead of the secret. */
import { readFileSync } from 'node:fs';

const pattern = /\$\{(env|file):([^}]*)\}/g;

export function hasPlaceholder(text: string): boolean {
  return text.search(pattern) !== -1;
}

/** What a placeholder of the environment looks like. */
export const placeholderOf = (variable: string): string => `\${env:${variable}}`;

/** @throws with a sentence that names the variable or file, never what is in it */
export function fillIn(text: string, variable: (name: string) => string | undefined): string {
  return text.replace(pattern, (_, from: string, name: string) =>
    from === 'env' ? ofVariable(name, variable) : ofFile(name),
  );
}

function ofVariable(name: string, variable: (name: string) => string | undefined): string {
  const value = variable(name)?.trim() ?? '';
  if (value === '') throw new Error(`The variable ${name} is not set`);
  return value;
}

function ofFile(path: string): string {
  if (!path.startsWith('/')) throw new Error(`The path of \${file:${path}} does not begin with a slash`);
  return readText(path).trim();
}

/** @throws with the path, which the system's own words leave out for a folder */
export function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
    throw new Error(`The file ${path} cannot be read${code}`, { cause: error });
  }
}

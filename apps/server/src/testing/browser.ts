/** A browser: keeps cookies, has an address of its own, and sees envelopes. */

export interface Seen {
  status: number;
  success: boolean;
  message: string;
  code: string | undefined;
  data: unknown;
}

export interface Browser {
  get(path: string): Promise<Seen>;
  post(path: string, body?: unknown): Promise<Seen>;
  readonly cookies: ReadonlyMap<string, string>;
}

let opened = 0;

/** The server must believe `X-Forwarded-For` of this machine, so that each browser has limits of its own. */
export function openBrowser(url: string): Browser {
  const cookies = new Map<string, string>();
  opened += 1;
  const address = `10.${(opened >> 16) & 255}.${(opened >> 8) & 255}.${opened & 255}`;
  const call = async (method: string, path: string, body?: unknown): Promise<Seen> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url + path, {
      method,
      redirect: 'manual',
      headers: {
        'sec-fetch-site': 'same-origin',
        'x-forwarded-for': address,
        cookie,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: body === undefined ? null : JSON.stringify(body),
    });
    for (const set of response.headers.getSetCookie()) {
      const [name = '', value = ''] = set.split(';', 1)[0]?.split('=', 2) ?? [];
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
    const envelope = (await response.json()) as Omit<Seen, 'status'>;
    return { ...envelope, status: response.status };
  };
  return { cookies, get: (path) => call('GET', path), post: (path, body = {}) => call('POST', path, body) };
}

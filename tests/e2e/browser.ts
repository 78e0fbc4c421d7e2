/** A real browser with the real product. */
import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page, type Request } from 'playwright-core';

const places = [
  process.env['CHROMIUM_PATH'],
  // Uses less CPU than Chromium, which also draws its windows.
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

/** @param more arguments for the browser */
export function startBrowser(more: readonly string[] = []): Promise<Browser> {
  const executablePath = places.find((place) => place !== undefined && existsSync(place));
  if (executablePath === undefined) throw new Error('There is no Chromium; set CHROMIUM_PATH');
  return chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      // The headless shell draws glyphs the way Chromium does, so both give the same pictures.
      '--font-render-hinting=none',
      ...more,
    ],
  });
}

/** Errors inside the page: script errors, policy violations, requests to other hosts. */
export interface PageErrors {
  list: string[];
}

/** Opens a page in English, by default 1440 px wide, that records every error. */
export async function openPage(
  browser: Browser,
  url: string,
  options: { width?: number; dark?: boolean; language?: string } = {},
): Promise<Page & { complaints: PageErrors }> {
  const { width = 1440, dark = false, language = 'en_US' } = options;
  const context = await browser.newContext({
    viewport: { width, height: 900 },
    colorScheme: dark ? 'dark' : 'light',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  await context.addInitScript((chosen) => {
    if (localStorage.getItem('appLanguage') === null) localStorage.setItem('appLanguage', chosen);
  }, language);
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  trackRequests(page);
  const complaints: PageErrors = { list: [] };
  page.on('pageerror', (error) => complaints.list.push(`error: ${error.message}`));
  page.on('console', (message) => {
    const text = message.text();
    // 401 is the response to "who am I" before signing in, and 403 asks for the password before a secret is shown.
    if (message.type() === 'error' && !/status of 40[13]/.test(text))
      complaints.list.push(`${text} ${message.location().url}`);
  });
  page.on('request', (request) => {
    const target = request.url();
    if (!target.startsWith(url) && !target.startsWith('data:') && !target.startsWith('blob:'))
      complaints.list.push(`called ${target}`);
  });
  return Object.assign(page, { complaints });
}

/** Requests of each page that have no response yet. */
const pendingRequests = new WeakMap<Page, Set<Request>>();
/**
 * Consecutive frames without a request after which a page counts as complete: a response may cause further requests.
 */
const QUIET_FRAMES = 5;
const ARRIVAL_MAX_MS = 60_000;

/** Tracks the requests of a page for `waitUntilLoaded`; call before the first `goto`. */
export function trackRequests(page: Page): void {
  const requests = new Set<Request>();
  pendingRequests.set(page, requests);
  const end = (request: Request): void => void requests.delete(request);
  page.on('request', (request) => requests.add(request));
  page.on('requestfinished', end);
  page.on('requestfailed', end);
}

/**
 * Waits until all requests of the page have ended, no placeholder is shown, and all transitions have ended.
 * @throws with the requests that have no response
 */
export async function waitUntilLoaded(page: Page): Promise<void> {
  const requests = pendingRequests.get(page);
  if (requests === undefined) throw new Error('Call trackRequests before the first page is opened');
  await page.waitForLoadState('load');
  const until = performance.now() + ARRIVAL_MAX_MS;
  for (let quiet = 0; quiet < QUIET_FRAMES; ) {
    if (performance.now() > until)
      throw new Error(`Still loading: ${[...requests].map((request) => request.url()).join(' ')}`);
    const isLoading = await showsLoading(page);
    quiet = isLoading || requests.size > 0 ? 0 : quiet + 1;
  }
  await waitForAnimations(page);
}

/** Returns whether the next frame shows a placeholder or a progress bar. */
const showsLoading = (page: Page): Promise<boolean> =>
  page.evaluate(
    () =>
      new Promise((resolve) => {
        requestAnimationFrame(() =>
          resolve(document.querySelector('.MuiSkeleton-root, .MuiLinearProgress-indeterminate') !== null),
        );
      }),
  );

const nextFrame = (page: Page): Promise<void> =>
  page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => resolve())));

/** Waits until every transition that ends has ended. */
export async function waitForAnimations(page: Page): Promise<void> {
  // A transition begins in the frame after the change that it shows.
  await nextFrame(page);
  await nextFrame(page);
  await page.evaluate(async () => {
    const ending = document
      .getAnimations()
      .filter(({ effect }) => effect?.getComputedTiming().iterations !== Number.POSITIVE_INFINITY);
    await Promise.allSettled(ending.map(({ finished }) => finished));
  });
}

/** Gives the page's window the session that the form of `/login` would create. */
export async function signIn(
  page: Page,
  url: string,
  { username, password }: { username: string; password: string },
): Promise<void> {
  const response = await page.request.post(`${url}/api/user/login`, {
    headers: { origin: url },
    data: { username, password },
  });
  if (!response.ok()) throw new Error(`Sign-in failed: ${await response.text()}`);
}

/** Chromium's virtual authenticator, whose user always agrees. */
export async function addVirtualAuthenticator(of: Page): Promise<void> {
  const cdp = await of.context().newCDPSession(of);
  await cdp.send('WebAuthn.enable');
  await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
    },
  });
}

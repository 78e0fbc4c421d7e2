/** Page in a real browser in which every script, opened or left page, and request is detected. */
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { startBrowser, trackRequests } from '../e2e/browser.ts';
import { listen } from '../listen.ts';

const assets = join(import.meta.dirname, '../../apps/console/dist/assets');

export interface HostileSite {
  browser: Browser;
  /** First bytes of what was sent to `evil.example`. */
  calls: string[];
  close(): Promise<void>;
}

/** Browser for which `evil.example` is a local server that counts connections and sends nothing. */
export async function startHostileSite(): Promise<HostileSite> {
  const calls: string[] = [];
  const evil = createServer((socket) => {
    const nth = calls.push('a connection') - 1;
    socket.on('error', () => {});
    socket.once('data', (bytes) => {
      calls[nth] = bytes.toString('latin1', 0, 80);
      socket.destroy();
    });
  });
  const port = await listen(evil);
  const browser = await startBrowser([`--host-resolver-rules=MAP evil.example 127.0.0.1:${port}`]);
  return {
    browser,
    calls,
    async close() {
      await browser.close();
      evil.close();
    },
  };
}

export interface WatchedPage {
  page: Page;
  context: BrowserContext;
  /** Everything that must not happen; expected to be empty. */
  incidents: string[];
}

export interface WatchOptions {
  cookie?: string | undefined;
  /** Whether the console's Markdown is shown without sanitising. */
  withoutSanitiser?: boolean;
  /** Whether the page has no policy, to check that the payloads would run. */
  withoutPolicy?: boolean;
}

export async function openWatchedPage(
  browser: Browser,
  url: string,
  { cookie, withoutSanitiser = false, withoutPolicy = false }: WatchOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({ bypassCSP: withoutPolicy, viewport: { width: 1440, height: 900 } });
  context.setDefaultTimeout(60_000);
  await context.addInitScript(() => localStorage.setItem('appLanguage', 'en_US'));
  if (cookie !== undefined) await context.addCookies(cookiesOf(cookie, url));
  if (withoutSanitiser) await disableSanitizer(context);
  const noticed: string[] = [];
  // A frame of the operator's own page may run scripts, which have no access there.
  await context.exposeBinding('sentinel', ({ frame }) => {
    if (!new URL(frame.url(), url).pathname.startsWith('/custom/')) noticed.push(`ran in ${frame.url()}`);
  });
  const page = await context.newPage();
  trackRequests(page);
  context.on('page', (popup) => noticed.push(`opened ${popup.url()}`));
  page.on('dialog', (dialog) => {
    noticed.push(`asked ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('download', (download) => noticed.push(`downloaded ${download.url()}`));
  page.on('framenavigated', (frame) => {
    if (frame === page.mainFrame() && !frame.url().startsWith(`${url}/`)) noticed.push(`went to ${frame.url()}`);
  });
  return { page, context, incidents: noticed };
}

function cookiesOf(header: string, url: string) {
  return header.split('; ').map((pair) => {
    const at = pair.indexOf('=');
    return { name: pair.slice(0, at), value: pair.slice(at + 1), url };
  });
}

/**
 * Replaces, in the built file, the purifier's function by one that converts HTML without sanitising, scripts included,
 * and that of its preprocessing. The policy gives that function its Trusted Types, like the real one.
 */
async function disableSanitizer(context: BrowserContext): Promise<void> {
  const sourceOf = (file: string): string => readFileSync(join(assets, file), 'utf8');
  const name = readdirSync(assets).find(
    (file) => file.endsWith('.js') && sourceOf(file).includes('.addHook(`afterSanitizeAttributes'),
  );
  if (name === undefined) throw new Error('The built console has no purifier');
  const source = sourceOf(name);
  const asItIs =
    '((policy)=>(html)=>document.createRange().createContextualFragment(policy.createHTML(html)))' +
    '(trustedTypes.createPolicy("dompurify",{createHTML:(html)=>html}))';
  const changed = replaceOnce(
    replaceOnce(source, /([\w$]+)(?=\.addHook\(`afterSanitizeAttributes)/, `$1.sanitize=${asItIs};$1`),
    /html:\(\{text:([\w$]+)\}\)=>[\w$]+\(\1\)/,
    'html:({text:$1})=>$1',
  );
  await context.route(`**/assets/${name}`, (route) => route.fulfill({ contentType: 'text/javascript', body: changed }));
}

function replaceOnce(text: string, pattern: RegExp, by: string): string {
  const found = text.match(new RegExp(pattern, 'g'));
  if (found?.length !== 1) throw new Error(`${pattern} was found ${found?.length ?? 0} times in the built console`);
  return text.replace(pattern, by);
}

/**
 * Does what a visitor may do by accident: triggers the event of every handler, clicks links that are no web addresses,
 * and sends forms. Waits for the effects.
 */
export async function triggerEvents(page: Page): Promise<void> {
  await page.evaluate(() => {
    // From the prototype, because a field named `attributes` hides those of its form.
    const attributeOf = (element: Element, name: string) => Element.prototype.getAttribute.call(element, name);
    const isWeb = (address: string) =>
      URL.canParse(address, location.href) && /^https?:/.test(new URL(address, location.href).protocol);
    for (const element of document.querySelectorAll('#root *, body > *')) {
      const names = Element.prototype.getAttributeNames.call(element);
      for (const name of names)
        if (/^on./i.test(name)) element.dispatchEvent(new Event(name.slice(2), { bubbles: false }));
      const address = attributeOf(element, 'href') ?? attributeOf(element, 'xlink:href');
      // The console handles links by addresses itself; links to other hosts are intended clicks.
      if (address !== null && !isWeb(address))
        element.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }));
      if (element instanceof HTMLFormElement && names.includes('action'))
        HTMLFormElement.prototype.requestSubmit.call(element);
      if (names.includes('formaction')) element.dispatchEvent(new MouseEvent('click', { bubbles: true }));
    }
  });
  await page.waitForTimeout(150);
}

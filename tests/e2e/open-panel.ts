/** The panel in a browser with a server in this process, so that a test can begin with any rows. */
import type { Browser, Page, Route } from 'playwright-core';
import { type SignedInUser, startTestApp, type TestApp } from '../../apps/server/src/testing/start-test-app.ts';
import type { ErrorCode } from '../../packages/contract/src/errors.ts';
import { openPage, type PageErrors, startBrowser } from './browser.ts';

export type PanelPage = Page & { complaints: PageErrors };

export interface Panel extends TestApp {
  browser: Browser;
  root: SignedInUser;
  /** Opens a new window at `path`, signed in. */
  open(path: string, options?: Parameters<typeof openPage>[2] & { as?: SignedInUser }): Promise<PanelPage>;
}

export async function startPanel(): Promise<Panel> {
  const [browser, app] = await Promise.all([startBrowser(), startTestApp()]);
  const root = await app.createUser('root', { username: 'root', quota: 5_000_000 });
  return {
    ...app,
    browser,
    root,
    async open(path, { as = root, ...options } = {}) {
      const page = await openPage(browser, app.url, options);
      await page.context().addCookies(toBrowserCookies(as, app.url));
      await page.goto(app.url + path);
      return page;
    },
    async close() {
      await browser.close();
      await app.close();
    },
  };
}

function toBrowserCookies({ identity }: SignedInUser, url: string): { name: string; value: string; url: string }[] {
  return (identity['cookie'] ?? '').split('; ').map((pair) => {
    const at = pair.indexOf('=');
    return { name: pair.slice(0, at), value: pair.slice(at + 1), url };
  });
}

/** Responds to a call of the page with the server's refusal. */
export function refuseCall(status: number, code: ErrorCode): (route: Route) => Promise<void> {
  return (route) =>
    route.fulfill({
      status,
      contentType: 'application/json',
      body: JSON.stringify({ success: false, message: 'Refused by the test', code, request_id: 'of-the-test' }),
    });
}

/** Simulates a lost network. */
export const abortAsOffline = (route: Route): Promise<void> => route.abort('internetdisconnected');

/** Holds requests until `letGo`. */
export function createGate(): { hold: (route: Route) => Promise<void>; letGo: () => void } {
  const gate = Promise.withResolvers<void>();
  return {
    async hold(route) {
      await gate.promise;
      await route.continue();
    },
    letGo: () => gate.resolve(),
  };
}

/** Excludes errors about calls that a test made fail on purpose. */
export function clearNetworkErrors({ complaints }: PanelPage): void {
  complaints.list = complaints.list.filter((text) => !text.startsWith('Failed to load resource'));
}

/** Returns what makes the page, or a dialog on it, scroll horizontally; expected to be empty. */
export const findHorizontalOverflow = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const frames = [document.documentElement, ...document.querySelectorAll('[role=dialog], [role=dialog] > *')];
    return frames
      .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
      .flatMap((frame) => {
        const edge = frame.getBoundingClientRect().left + frame.clientWidth;
        const beyond = [...frame.querySelectorAll('*')].filter(
          (element) => element.getBoundingClientRect().right > edge + 1,
        );
        return [
          `${frame.tagName} is ${frame.scrollWidth} px wide`,
          ...beyond.map((element) => element.outerHTML.slice(0, 300)),
        ];
      });
  });

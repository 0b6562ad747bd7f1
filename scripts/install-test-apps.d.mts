/** Returns whether the installed applications match test/apps/packages/package-lock.json exactly. */
export function testAppsAreInstalled(): boolean

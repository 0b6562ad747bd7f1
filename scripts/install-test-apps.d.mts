/** Whether exactly the applications that test/apps/packages/package-lock.json names are installed. */
export function testAppsAreInstalled(): boolean

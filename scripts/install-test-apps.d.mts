/** Whether exactly the applications that test/apps/package-lock.json names are installed. */
export function testAppsAreInstalled(): boolean

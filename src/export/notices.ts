import type { Message } from '../mail/message.ts'

/**
 * Returns the mail that an export can be downloaded.
 * @param days number of days for which it can be downloaded
 */
export function finishedNotice(to: string, appId: string, link: string, days: number): Message {
  return {
    to,
    subject: `数据导出已完成 Data export finished: ${appId}`,
    text: `应用 ${appId} 的数据导出已完成，请在 ${days} 天内下载：
The data of the app ${appId} have been exported. Download them within ${days} days:

${link}

任何人都可以通过该链接下载数据，请勿转发。
Anyone with this link can download the data. Do not forward it.
`,
  }
}

/** Returns the mail that an export failed. */
export function failedNotice(to: string, appId: string): Message {
  return {
    to,
    subject: `数据导出失败 Data export failed: ${appId}`,
    text: `应用 ${appId} 的数据导出未能完成，请重新发起导出。
The data of the app ${appId} could not be exported. Please start the export again.
`,
  }
}

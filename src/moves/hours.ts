/** Hours of the day by the clock of this machine: from the beginning of one to the beginning of another. */
export interface Hours {
  readonly from: number
  readonly to: number
}

/** Reads `22-6`: from ten in the evening to six in the morning. @returns null for what is no such text */
export function parseHours(text: string): Hours | null {
  const [, from = '', to = ''] = /^(\d{1,2})-(\d{1,2})$/.exec(text) ?? []
  const hours = { from: Number(from), to: Number(to) }
  const isHour = (hour: number) => hour <= 24
  return from !== '' && isHour(hours.from) && isHour(hours.to) && hours.from % 24 !== hours.to % 24 ? hours : null
}

/** A range of hours of the day in the time zone of this machine: from the start of one hour to the start of the other. */
export interface Hours {
  readonly from: number
  readonly to: number
}

/** Parses `22-6`, from 22:00 to 6:00. @returns null for any other text */
export function parseHours(text: string): Hours | null {
  const [, from = '', to = ''] = /^(\d{1,2})-(\d{1,2})$/.exec(text) ?? []
  const hours = { from: Number(from), to: Number(to) }
  const isHour = (hour: number) => hour <= 24
  return from !== '' && isHour(hours.from) && isHour(hours.to) && hours.from % 24 !== hours.to % 24 ? hours : null
}

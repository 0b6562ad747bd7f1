/** The name of the service, of its user and of its folders. */
export const NAME = 'homeport'
export const UNIT_FILE = '/etc/systemd/system/homeport.service'
export const ENVIRONMENT_FILE = '/etc/homeport/homeport.env'

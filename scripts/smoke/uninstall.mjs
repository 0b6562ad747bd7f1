export const name = 'uninstall'
export const title = 'Uninstall'

/** Needs `inside`. */
export async function run({ inside, pass }) {
  inside('homeport service uninstall && test -e /var/lib/homeport/node-id && test -e /etc/homeport/homeport.env')
  inside('! test -e /etc/systemd/system/homeport.service && ! systemctl is-active --quiet homeport')
  pass('the service is removed, data and options stay')
  inside(
    'homeport service uninstall --delete-data && ! test -e /var/lib/homeport && ! test -e /etc/homeport && ! id homeport',
  )
  pass('--delete-data deletes data, options and user')
}

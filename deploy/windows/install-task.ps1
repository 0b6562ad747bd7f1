# Runs Homeport on Windows when the machine starts, as a scheduled task of the current user. Run it in an elevated PowerShell, after
# "npm install --global homeport-server". PostgreSQL refuses to run with administrator rights, so the task runs with limited ones.
#
#   .\install-task.ps1 -Data C:\Homeport -Port 3000
#   Unregister-ScheduledTask -TaskName Homeport          # removes it; the data stay
param(
  [string]$Data = "$env:LOCALAPPDATA\Homeport",
  [int]$Port = 3000
)
$ErrorActionPreference = 'Stop'
$node = (Get-Command node).Source
$main = Join-Path (npm root --global) 'homeport-server\bin\homeport.mjs'
if (-not (Test-Path $main)) { throw "Homeport is not installed: $main is missing. Run: npm install --global homeport-server" }
New-Item -ItemType Directory -Force -Path $Data | Out-Null

$arguments = "`"$main`" start --data `"$Data`" --port $Port --host 127.0.0.1"
$action = New-ScheduledTaskAction -Execute $node -Argument $arguments -WorkingDirectory $Data
$trigger = New-ScheduledTaskTrigger -AtStartup
$settings = New-ScheduledTaskSettingsSet -RestartCount 999 -RestartInterval (New-TimeSpan -Minutes 1) `
  -ExecutionTimeLimit ([TimeSpan]::Zero) -AllowStartIfOnBatteries -DontStopIfGoingOnBatteries -MultipleInstances IgnoreNew
# S4U: runs without a login and without a stored password.
$principal = New-ScheduledTaskPrincipal -UserId "$env:USERDOMAIN\$env:USERNAME" -LogonType S4U -RunLevel Limited
Register-ScheduledTask -TaskName Homeport -Action $action -Trigger $trigger -Settings $settings -Principal $principal -Force | Out-Null
Start-ScheduledTask -TaskName Homeport
Write-Output "Homeport starts at http://localhost:$Port. Its log is in $Data\logs."

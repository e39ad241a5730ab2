package org.gradle.internal.installation.beacon;

/** By where this class is, Gradle knows where it is itself. */
public class InstallationBeacon {
}

"""Derivations of answers: steps, trees and pictures."""
